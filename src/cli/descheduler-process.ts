import type { Registry } from 'prom-client'
import type { ClusterWatch } from '../descheduler/cluster-watch.ts'
import type { Running } from '../descheduler/descheduling-loop.ts'
import { undiciGet } from '../descheduler/measure/http-get.ts'
import { prometheusDeschedulerMetrics, type DeschedulerMetrics } from '../descheduler/metrics.ts'
import { observing } from '../descheduler/observing.ts'
import type { Policy } from '../descheduler/policy/policy.ts'
import { isLive, isOurs } from '../descheduler/requests.ts'
import { annotations } from '../api/names.ts'
import { EventRecorder } from '../kube/event-recorder.ts'
import { eventSinkOf } from '../kube/event-sink.ts'
import { fencedTransport } from '../kube/fenced-transport.ts'
import { serviceAccountFolder } from '../kube/in-cluster.ts'
import type { LeaderElection } from '../kube/leader-election.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { systemFiles } from '../kube/system-files.ts'
import { openDescheduling } from '../manager/descheduling.ts'
import type { Log } from '../runtime/log.ts'
import { systemClock, systemRandom, systemTurn } from '../runtime/system.ts'
import type { Connection } from './connection.ts'
import type { DeschedulerOptions } from './descheduler.ts'
import { adminClient } from './run.ts'
import { version } from './version.ts'

export interface ProcessParts {
  readonly connection: Connection
  readonly options: DeschedulerOptions
  readonly log: Log
  readonly election: LeaderElection | undefined
  readonly registry: Registry
  /** Different for every process. */
  readonly identity: string
}

const flushWithinMs = 2_000
const certificateAuthorityPath = `${serviceAccountFolder}/ca.crt`

/** What policies that follow one another have in common: the connection, Events and metrics. */
export class DeschedulerProcess implements AsyncDisposable {
  readonly #parts: ProcessParts
  readonly #events: EventRecorder
  readonly #metrics: DeschedulerMetrics
  #watch: ClusterWatch | undefined

  constructor(parts: ProcessParts) {
    const { connection, log, registry, options, identity } = parts
    this.#parts = parts
    this.#events = new EventRecorder({
      sink: eventSinkOf(adminClient(connection.transport)),
      clock: systemClock,
      random: systemRandom,
      log,
      component: 'lifeboat-descheduler',
      instance: identity,
    })
    const inProgress = () => evacuationsOf(this.#watch)
    this.#metrics = prometheusDeschedulerMetrics(registry, { mode: options.mode, version, inProgress })
  }

  /** Resolves when the cluster is known as far as the policy looks. */
  async open(policy: Policy, signal: AbortSignal): Promise<Running> {
    const { options, log, election, connection } = this.#parts
    const { mode, dryRun = false, namespace, maxEvacuationRequestTtl: ttlMs } = options
    const { transport } = connection
    const on = observing({ policy, mode, metrics: this.#metrics, events: dryRun ? undefined : this.#events })
    const { watch, descheduler, run } = await openDescheduling({
      // Between two turns of the event loop a process may have slept for hours, and another one leads by now.
      kube: adminClient(election === undefined ? transport : fencedTransport(transport, () => election.isLeading())),
      clock: systemClock,
      random: systemRandom,
      log,
      metrics: noKubeMetrics,
      policy,
      mode,
      dryRun,
      namespace,
      requestTtlMs: ttlMs === 0 ? undefined : ttlMs,
      turn: systemTurn,
      get: undiciGet({ files: systemFiles, certificateAuthorityPath }),
      files: systemFiles,
      signal,
      on: {
        ...on,
        onWithdrawn: ({ namespace: of, name }) => log.info({ pod: `${of}/${name}` }, 'took back a request'),
        onMemoryProblem: (error) => log.warn({ error: String(error) }, 'cannot write down what to remember'),
      },
    })
    const ending = new AbortController()
    const watching = run(AbortSignal.any([signal, ending.signal]))
    await Promise.race([watch.synced(), watching])
    this.#watch = watch
    return {
      cycle: async (stop) => {
        const beganMs = systemClock.monotonicMs()
        const report = await descheduler.cycle(policy, stop)
        on.onReport(report, systemClock.monotonicMs() - beganMs)
        return report
      },
      close: async () => {
        this.#watch = undefined
        ending.abort(new Error('the watch is not needed any more'))
        await watching
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = new AbortController()
    using _timer = systemClock.timer(flushWithinMs, () => late.abort(new Error('events took too long')))
    await this.#events.close(late.signal)
  }
}

function evacuationsOf(watch: ClusterWatch | undefined) {
  const ours = (watch?.evacuations() ?? []).filter((evacuation) => isOurs(evacuation) && isLive(evacuation))
  return ours.map(({ metadata }) => ({
    namespace: metadata.namespace ?? '',
    node: metadata.annotations?.[annotations.evacuatedFrom] ?? '',
  }))
}
