import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import type { Change } from '../kube/watch/object-cache.ts'

/** An evacuation whose eviction was refused because of a budget. */
export interface Waiter {
  readonly key: string
  /** Undefined: the server did not say which one, or there are several. */
  readonly budget: string | undefined
  /** An unready pod may be evicted where a ready one may not. */
  readonly podIsReady: boolean
  readonly sinceMs: number
}

/**
 * Whose eviction may succeed after this change of a budget: as many as the budget has room for, who waited longest
 * first. The others would only be refused again.
 */
export function wokenBy(change: Change<PodDisruptionBudget>, waiters: readonly Waiter[]): string[] {
  const name = change.object.metadata.name
  const ofAny = waiters.filter(({ budget }) => budget === undefined)
  const ofThis = waiters.filter(({ budget }) => budget === name).toSorted((a, b) => a.sinceMs - b.sinceMs)
  if (change.kind === 'deleted') return keysOf([...ofAny, ...ofThis])
  // Until the budget is counted again the API server refuses whatever its numbers say.
  if (!isCounted(change.object)) return []
  const previous = change.kind === 'updated' ? change.previous : undefined
  const isNew = previous === undefined || !isCounted(previous) || generationOf(previous) !== generationOf(change.object)
  const room = change.object.status?.disruptionsAllowed ?? 0
  const ready = ofThis.filter(({ podIsReady }) => podIsReady)
  const unready = ofThis.filter(({ podIsReady }) => !podIsReady)
  const maySpareUnready = isNew || (sparesUnready(change.object) && !sparesUnready(previous))
  return [
    ...(isNew ? keysOf(ofAny) : []),
    ...(maySpareUnready ? keysOf(unready) : keysOf(unready.slice(0, room))),
    ...keysOf(ready.slice(0, room)),
  ]
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

/** KEP-3017: under IfHealthyBudget unready pods may go while the ready ones are enough. */
function sparesUnready({ status, spec }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
}
