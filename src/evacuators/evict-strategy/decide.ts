import type { Pod } from '../../api/kubernetes/core.ts'
import { availableAtMs, isAvailable, isReady, isTerminating } from '../../api/kubernetes/pod-availability.ts'
import { troubleOf } from '../workload/pod-trouble.ts'

export interface StrategyView {
  readonly replicas: number
  readonly minReadySeconds: number
  /** How many of its pods may be missing at once. */
  readonly unavailableMax: number
  /** All of the set. */
  readonly pods: readonly Pod[]
  /** Those that are to go, in the order in which that was asked for. */
  readonly wanted: readonly Pod[]
}

export interface StrategyDecision {
  readonly deleted: readonly Pod[]
  /** When a ready pod will have been ready for long enough, which no event tells; undefined: only events matter. */
  readonly againAtMs?: number
}

/**
 * Which pods to delete now. What counts is how many are in eviction progress: deleted, and their replacement not
 * available yet. One that is down and still to be deleted does not count, or three on one dead node would wait for each
 * other; it goes before those that still serve. One that cannot start costs nothing at all.
 */
export function decideDeletions(view: StrategyView, nowMs: number): StrategyDecision {
  const { replicas, minReadySeconds, unavailableMax, pods } = view
  const wanted = view.wanted.filter((pod) => !isTerminating(pod))
  const [lost, others] = partition(wanted, (pod) => !isReady(pod) && troubleOf(pod, nowMs) !== undefined)
  const toBeDeleted = new Set(others.map(({ metadata }) => metadata.uid))
  const present = pods.filter(
    (pod) => isAvailable(pod, minReadySeconds, nowMs) || (!isReady(pod) && toBeDeleted.has(pod.metadata.uid)),
  )
  const free = Math.max(0, unavailableMax - Math.max(0, replicas - present.length))
  const [down, serving] = partition(others, (pod) => !isReady(pod))
  const deleted = [...lost, ...[...down, ...serving].slice(0, free)]
  const timesMs = pods
    .map((pod) => availableAtMs(pod, minReadySeconds))
    .filter((atMs) => atMs !== undefined && atMs > nowMs)
  const againAtMs = wanted.length === deleted.length ? Number.POSITIVE_INFINITY : Math.min(...timesMs.map(Number))
  return Number.isFinite(againAtMs) ? { deleted, againAtMs } : { deleted }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}
