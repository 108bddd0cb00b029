import type { Pod } from '../../api/kubernetes/core.ts'
import { readySinceMs } from '../../api/kubernetes/pod-availability.ts'
import { progressDeadlineDefaultSeconds } from './pod-trouble.ts'

export interface StartLimits {
  readonly minReadySeconds?: number
  /** A pod that took longer was not simply starting. */
  readonly progressDeadlineSeconds?: number
}

/**
 * How long a pod of this workload takes from its creation until it is available: the median of those that are ready.
 * Pods themselves say it, so a restart forgets nothing. A pod that was restarted, or became ready a second time, says
 * nothing about a start. Undefined: no pod says it.
 */
export function typicalStartMs(pods: readonly Pod[], limits: StartLimits = {}): number | undefined {
  const { minReadySeconds = 0, progressDeadlineSeconds = progressDeadlineDefaultSeconds } = limits
  const takenMs = pods
    .map(startTakenMs)
    .filter((elapsedMs) => elapsedMs >= 0 && elapsedMs <= progressDeadlineSeconds * 1_000)
    .toSorted((one, other) => one - other)
  const median = takenMs[Math.floor(takenMs.length / 2)]
  return median === undefined ? undefined : median + minReadySeconds * 1_000
}

/** For a report; nothing if it is unknown, or over already: it was wrong then. */
export function expectedFinish(atMs: number | undefined, nowMs: number): { readonly expectedFinishMs?: number } {
  return atMs !== undefined && atMs > nowMs ? { expectedFinishMs: atMs } : {}
}

/** Asked about every pod of a workload whenever one of them changes. */
const taken = new WeakMap<Pod, number>()

/** Not a number where the pod does not say it. */
function startTakenMs(pod: Pod): number {
  const known = taken.get(pod)
  if (known !== undefined) return known
  const createdMs = Date.parse(pod.metadata.creationTimestamp ?? '')
  const elapsedMs = wasRestarted(pod) ? Number.NaN : (readySinceMs(pod) ?? Number.NaN) - createdMs
  taken.set(pod, elapsedMs)
  return elapsedMs
}

function wasRestarted({ status }: Pod): boolean {
  return (status?.containerStatuses ?? []).some(({ restartCount }) => restartCount > 0)
}
