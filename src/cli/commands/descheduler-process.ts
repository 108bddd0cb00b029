import type { Registry } from 'prom-client'
import type { Running } from '../../descheduler/descheduling-loop.ts'
import { undiciGet } from '../../descheduler/measure/http-get.ts'
import type { Policy } from '../../descheduler/policy/policy.ts'
import { EventRecorder } from '../../kube/events/event-recorder.ts'
import { eventSinkOf } from '../../kube/events/event-sink.ts'
import { fencedTransport } from '../../kube/client/fenced-transport.ts'
import { serviceAccountFolder } from '../../kube/auth/in-cluster.ts'
import type { LeaderElection } from '../../kube/lease/leader-election.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { systemFiles } from '../../kube/auth/system-files.ts'
import { DeschedulingRunner } from '../../manager/descheduling/descheduling-runner.ts'
import type { Log } from '../../runtime/log.ts'
import { systemClock, systemRandom, systemTurn } from '../../runtime/system.ts'
import type { Connection } from '../connect/connection.ts'
import type { DeschedulerOptions } from './descheduler.ts'
import { adminClient } from './run.ts'
import { version } from '../version.ts'

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

/** What a descheduler needs of the system, in a process of its own or not. */
export const systemOfDescheduler = {
  version,
  turn: systemTurn,
  get: undiciGet({ files: systemFiles, certificateAuthorityPath }),
  files: systemFiles,
}

/** A descheduler in a process of its own: what it needs of the system, and Events that are written before it ends. */
export class DeschedulerProcess implements AsyncDisposable {
  readonly #events: EventRecorder
  readonly #runner: DeschedulingRunner

  constructor({ connection, options, log, election, registry, identity }: ProcessParts) {
    const { mode, dryRun = false, namespace, maxEvacuationRequestTtl: ttlMs } = options
    const { transport } = connection
    const system = { clock: systemClock, random: systemRandom, log }
    const sink = eventSinkOf(adminClient(transport))
    this.#events = new EventRecorder({ ...system, sink, component: 'lifeboat-descheduler', instance: identity })
    this.#runner = new DeschedulingRunner({
      ...system,
      // Between two turns of the event loop a process may have slept for hours, and another one leads by now.
      kube: adminClient(election === undefined ? transport : fencedTransport(transport, () => election.isLeading())),
      metrics: noKubeMetrics,
      registry,
      events: this.#events,
      ...systemOfDescheduler,
      mode,
      dryRun,
      namespace,
      requestTtlMs: ttlMs === 0 ? undefined : ttlMs,
    })
  }

  open(policy: Policy, signal: AbortSignal): Promise<Running> {
    return this.#runner.open(policy, signal)
  }

  notePolicy(problems: readonly string[]): void {
    this.#runner.notePolicy(problems)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const late = new AbortController()
    using _timer = systemClock.timer(flushWithinMs, () => late.abort(new Error('events took too long')))
    await this.#events.close(late.signal)
  }
}
