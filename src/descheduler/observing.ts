import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { Asked } from './asking.ts'
import type { CycleReport, Strategy } from './cycle/cycle.ts'
import { eventOfAsked, limitExceeded } from './events.ts'
import type { DeschedulerMetrics } from './metrics.ts'
import type { Mode } from './mode.ts'
import type { Policy } from './policy/policy.ts'
import type { PodView } from './view.ts'

export interface ObservingParts {
  readonly policy: Pick<Policy, 'limits' | 'evictionFailureEventNotification'>
  readonly mode: Mode
  readonly metrics: DeschedulerMetrics
  /** Undefined in a dry run: what did not happen is no event. */
  readonly events: { record(event: ClusterEvent): void } | undefined
}

/** What others see of cycles while they run: metrics and Events. */
export interface Observing {
  readonly onAsked: (pod: PodView, strategy: Strategy, asked: Asked) => void
  readonly onEnded: (strategy: Strategy, elapsedMs: number) => void
  readonly onReport: (report: CycleReport, elapsedMs: number) => void
}

export function observing({ policy, mode, metrics, events }: ObservingParts): Observing {
  const tellsFailures = policy.evictionFailureEventNotification
  const record = (event: ClusterEvent | undefined) => {
    if (event !== undefined) events?.record(event)
  }
  return {
    onAsked: (pod, strategy, asked) => {
      metrics.asked(pod, strategy, asked)
      record(eventOfAsked(pod, strategy, { asked, mode, tellsFailures }))
    },
    onEnded: (strategy, elapsedMs) => metrics.strategyEnded(strategy, elapsedMs),
    onReport: (report, elapsedMs) => {
      metrics.reported(report)
      metrics.cycleEnded(elapsedMs)
      if (!tellsFailures) return
      for (const { cut } of report.strategies) for (const each of cut) record(limitExceeded(each, policy.limits))
    },
  }
}
