import { matchesLabelSelector } from '../api/kubernetes/label-selector.ts'
import { letsUnreadyGo } from '../api/blocker/unready-pod.ts'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import type { Change } from '../kube/watch/object-cache.ts'

/** An evacuation whose eviction was refused because of a budget. */
export interface Waiter {
  readonly key: string
  /** Undefined: the server did not say which one, or there are several. */
  readonly budget: string | undefined
  /** When it was refused. */
  readonly wasReady: boolean
  readonly sinceMs: number
}

/** One whose pod would be evicted if the budget let it, as the pod is now. */
export interface Candidate extends Waiter {
  /** An unready pod may be evicted where a ready one may not. */
  readonly isReady: boolean
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Whose eviction may succeed after this change of a budget: as many as the budget has room for, who waited longest
 * first. The others would only be refused again.
 */
export function wokenBy(change: Change<PodDisruptionBudget>, candidates: readonly Candidate[]): string[] {
  const { object } = change
  const ofAny = candidates.filter(({ budget }) => budget === undefined)
  const ofThis = candidates.filter(({ budget }) => budget === object.metadata.name).toSorted(byAge)
  if (change.kind === 'deleted') return keysOf([...ofAny, ...ofThis])
  // Until the budget is counted again the API server refuses whatever its numbers say.
  if (!isCounted(object)) return []
  const previous = change.kind === 'updated' ? change.previous : undefined
  const isNew = previous === undefined || !isCounted(previous) || generationOf(previous) !== generationOf(object)
  const isSpared = ({ wasReady }: Candidate) =>
    isNew || (letsUnreadyGo(object) && (wasReady || !letsUnreadyGo(previous)))
  return keysOf([...(isNew ? ofAny : []), ...withinRoom(object, ofThis, isSpared)])
}

/** Whose eviction may succeed as the budgets stand, for those who may have missed a change. */
export function mayGo(budgets: readonly PodDisruptionBudget[], candidates: readonly Candidate[]): string[] {
  const free = candidates.filter(({ budget, labels }) =>
    budget === undefined
      ? covering(budgets, labels).length < 2
      : budgets.every(({ metadata }) => metadata.name !== budget),
  )
  const roomy = budgets.filter(isCounted).flatMap((each) => {
    const ofThis = candidates.filter(({ budget }) => budget === each.metadata.name).toSorted(byAge)
    return withinRoom(each, ofThis, () => letsUnreadyGo(each))
  })
  return keysOf([...free, ...roomy])
}

export function covering(
  budgets: readonly PodDisruptionBudget[],
  labels: Readonly<Record<string, string>>,
): readonly PodDisruptionBudget[] {
  return budgets.filter(({ spec }) => spec?.selector !== undefined && matchesLabelSelector(spec.selector, labels))
}

function withinRoom(
  budget: PodDisruptionBudget,
  candidates: readonly Candidate[],
  isSpared: (unready: Candidate) => boolean,
): Candidate[] {
  const room = budget.status?.disruptionsAllowed ?? 0
  const unready = candidates.filter(({ isReady }) => !isReady)
  const ready = candidates.filter(({ isReady }) => isReady)
  return [...unready.filter((each, at) => at < room || isSpared(each)), ...ready.slice(0, room)]
}

function byAge(a: Waiter, b: Waiter): number {
  return a.sinceMs - b.sinceMs
}

function keysOf(waiters: readonly Waiter[]): string[] {
  return waiters.map(({ key }) => key)
}

function isCounted(budget: PodDisruptionBudget): boolean {
  return (budget.status?.observedGeneration ?? 0) >= generationOf(budget)
}

function generationOf({ metadata }: PodDisruptionBudget): number {
  return metadata.generation ?? 1
}
