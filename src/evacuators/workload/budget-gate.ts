import type { Blocker } from '../../api/blocker/blocker.ts'
import { letsUnreadyGo, withReadiness } from '../../api/blocker/unready-pod.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { Evict, Waiting, Working } from '../evacuator.ts'

export interface GateView {
  readonly pod: Pod
  /** Those that cover the pod. */
  readonly budgets: readonly PodDisruptionBudget[]
  /** Since when the pod could go, as far as its workload is concerned. */
  readonly sinceMs: number
  readonly evictionAskedMs: number | undefined
}

const limits = {
  /** The disruption controller is about to count again. */
  countingMs: 5_000,
  /** A budget may be wrong about itself, and only an attempt tells. */
  attemptEveryMs: 30_000,
}

/** Evicts unless a budget says that it would be refused: then its next change wakes, so no eviction need be refused. */
export function evictWithinBudgets(view: GateView, nowMs: number): Evict | Waiting | Working {
  const full = view.budgets.find((budget) => keeps(budget, view.pod))
  const lastMs = Math.max(view.sinceMs, view.evictionAskedMs ?? 0)
  const untilAttemptMs = lastMs + limits.attemptEveryMs - nowMs
  if (full === undefined || untilAttemptMs <= 0) return { kind: 'evict' }
  const name = full.metadata.name
  const untilCountedMs = view.sinceMs + limits.countingMs - nowMs
  if (untilCountedMs > 0) {
    return { kind: 'working', message: `Waits for budget ${name} to count its pods`, againInMs: untilCountedMs }
  }
  return { kind: 'waiting', because: blockerOf(view.pod, full), againInMs: untilAttemptMs }
}

/** Whether a budget covers pods with these labels. It is kept for long, so it holds on to nothing else of the pod. */
export function coveringPods(labels: Readonly<Record<string, string>> = {}) {
  return ({ spec }: PodDisruptionBudget): boolean => {
    const selector: LabelSelector | undefined = spec?.selector
    return selector !== undefined && matchesLabelSelector(selector, labels)
  }
}

function keeps(budget: PodDisruptionBudget, pod: Pod): boolean {
  return (budget.status?.disruptionsAllowed ?? 0) <= 0 && (isReady(pod) || !letsUnreadyGo(budget))
}

function blockerOf(pod: Pod, { metadata, status }: PodDisruptionBudget): Blocker {
  const { currentHealthy: healthy = 0, desiredHealthy: needed = 0 } = status ?? {}
  return withReadiness({ kind: 'budget', pod: podRefOf(pod), budget: metadata.name, healthy, needed }, pod)
}
