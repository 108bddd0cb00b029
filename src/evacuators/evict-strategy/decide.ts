import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { availableAtMs, isAvailable, isReady, isTerminating } from '../../api/pod-availability.ts'
import { troubleOf } from '../workload/pod-trouble.ts'

export interface StrategyView {
  readonly replicas: number
  readonly minReadySeconds: number
  /** How many of its pods may be missing at once. */
  readonly unavailableMax: number
  /** All of the set. */
  readonly pods: readonly DeepReadonly<Pod>[]
  /** Those that are to go, in the order in which that was asked for. */
  readonly wanted: readonly DeepReadonly<Pod>[]
}

export interface StrategyDecision {
  readonly deleted: readonly DeepReadonly<Pod>[]
  /** When a ready pod will have been ready for long enough, which no event tells; undefined: only events matter. */
  readonly againAtMs?: number
}

/**
 * Which pods to delete now. One that is not available costs nothing as long as no more are missing than may be; one that
 * cannot start costs nothing at all.
 */
export function decideDeletions(view: StrategyView, nowMs: number): StrategyDecision {
  const { replicas, minReadySeconds, unavailableMax, pods } = view
  const wanted = view.wanted.filter((pod) => !isTerminating(pod))
  const unavailable = replicas - pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length
  const isDown = (pod: DeepReadonly<Pod>) => !isReady(pod)
  const free = Math.max(0, unavailableMax - Math.max(0, unavailable))
  const lost = wanted
    .filter(isDown)
    .filter((pod) => unavailable <= unavailableMax || troubleOf(pod, nowMs) !== undefined)
  const deleted = [...lost, ...wanted.filter(isReady).slice(0, free)]
  const timesMs = pods
    .map((pod) => availableAtMs(pod, minReadySeconds))
    .filter((atMs) => atMs !== undefined && atMs > nowMs)
  const againAtMs = wanted.length === deleted.length ? Number.POSITIVE_INFINITY : Math.min(...timesMs.map(Number))
  return Number.isFinite(againAtMs) ? { deleted, againAtMs } : { deleted }
}
