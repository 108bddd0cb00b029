import type { Registry } from 'prom-client'
import { annotations } from '../../api/names.ts'
import type { ClusterWatch } from '../../descheduler/cluster-watch.ts'
import type { Running } from '../../descheduler/descheduling-loop.ts'
import { prometheusDeschedulerMetrics, type DeschedulerMetrics } from '../../descheduler/metrics.ts'
import { observing } from '../../descheduler/observing.ts'
import type { Policy } from '../../descheduler/policy/policy.ts'
import { isLive, isOurs } from '../../descheduler/requests.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { openDescheduling, type DeschedulingOptions } from './descheduling.ts'

export interface RunnerParts extends Omit<DeschedulingOptions, 'policy' | 'signal' | 'on'> {
  readonly registry: Registry
  readonly events: { record(event: ClusterEvent): void }
  /** Of this program. */
  readonly version: string
}

/** Opens a descheduler for one policy after the other, with the same metrics and Events for all. */
export class DeschedulingRunner {
  readonly #parts: RunnerParts
  readonly #metrics: DeschedulerMetrics
  #watch: ClusterWatch | undefined

  constructor(parts: RunnerParts) {
    const { registry, mode, version } = parts
    this.#parts = parts
    const inProgress = () => evacuationsOf(this.#watch)
    this.#metrics = prometheusDeschedulerMetrics(registry, { mode, version, inProgress })
  }

  /** What is wrong with the policy file as it is now. */
  notePolicy(problems: readonly string[]): void {
    this.#metrics.policyRead(problems.length)
  }

  /** Resolves when the cluster is known as far as the policy looks. */
  async open(policy: Policy, signal: AbortSignal): Promise<Running> {
    const { clock, log, mode, dryRun, events } = this.#parts
    const on = observing({ policy, mode, metrics: this.#metrics, events: dryRun ? undefined : events })
    const { watch, descheduler, run } = await openDescheduling({
      ...this.#parts,
      policy,
      signal,
      on: {
        ...on,
        onWithdrawn: ({ namespace, name }) => log.info({ pod: `${namespace}/${name}` }, 'took back a request'),
        onMemoryProblem: (error) => log.warn({ error: String(error) }, 'cannot write down what to remember'),
      },
    })
    const ending = new AbortController()
    const watching = run(AbortSignal.any([signal, ending.signal]))
    await Promise.race([watch.synced(), watching])
    this.#watch = watch
    return {
      cycle: async (stop) => {
        const beganMs = clock.monotonicMs()
        const report = await descheduler.cycle(policy, stop)
        on.onReport(report, clock.monotonicMs() - beganMs)
        return report
      },
      close: async () => {
        this.#watch = undefined
        ending.abort(new Error('the watch is not needed any more'))
        await watching
      },
    }
  }
}

function evacuationsOf(watch: ClusterWatch | undefined) {
  const ours = (watch?.evacuations() ?? []).filter((evacuation) => isOurs(evacuation) && isLive(evacuation))
  return ours.map(({ metadata }) => ({
    namespace: metadata.namespace,
    node: metadata.annotations?.[annotations.evacuatedFrom] ?? '',
  }))
}
