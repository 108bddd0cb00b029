import { homedir, hostname } from 'node:os'
import { Kube } from '../kube/client/client.ts'
import { EventRecorder } from '../kube/events/event-recorder.ts'
import { eventSinkOf } from '../kube/events/event-sink.ts'
import { loadKubeconfig } from '../kube/auth/kubeconfig.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { systemFiles, systemProcesses } from '../kube/auth/system-files.ts'
import { UndiciTransport } from '../kube/client/undici-transport.ts'
import type { Clock } from '../runtime/clock.ts'
import { ConcurrencyLimit } from '../runtime/concurrency-limit.ts'
import { silentLog, type Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { systemClock, systemRandom } from '../runtime/system.ts'
import { TokenBucket } from '../runtime/token-bucket.ts'

export interface ConnectOptions {
  /** A file. Left out: KUBECONFIG, then ~/.kube/config, then the service account of the pod that this runs in. */
  readonly kubeconfig?: string
  /** Instead of the current one. */
  readonly context?: string
  /** Who speaks: for the log of the API server, and for events. */
  readonly component: string
  /** pino fits; nothing is logged without it. */
  readonly log?: Log
  readonly requestsPerSecond?: number
}

/** All that `runEvacuator` wants to know about a cluster. */
export interface Connection extends AsyncDisposable {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: EventRecorder
}

const limits = { requestsAtOnceMax: 30, requestsPerSecondDefault: 50, eventsFlushMs: 2_000 }

/** Reaches a cluster in the way that kubectl does. Throws a KubeconfigError in one line if it cannot tell how. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { kubeconfig, context, component, log = silentLog } = options
  const access = await loadKubeconfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
    environment: process.env,
    homeFolder: homedir(),
    files: systemFiles,
    processes: systemProcesses,
    clock: systemClock,
  })
  const ratePerSecond = options.requestsPerSecond ?? limits.requestsPerSecondDefault
  const transport = new UndiciTransport({ ...access, userAgent: component })
  const world = { clock: systemClock, random: systemRandom, log }
  const kube = new Kube({
    ...world,
    transport,
    concurrency: new ConcurrencyLimit(limits.requestsAtOnceMax),
    rate: new TokenBucket({ clock: systemClock, ratePerSecond, burst: ratePerSecond * 2 }),
    metrics: noKubeMetrics,
  })
  const events = new EventRecorder({ ...world, component, instance: hostname(), sink: eventSinkOf(kube) })
  return {
    ...world,
    kube,
    events,
    [Symbol.asyncDispose]: async () => {
      await events.close(AbortSignal.timeout(limits.eventsFlushMs))
      await transport.close()
    },
  }
}
