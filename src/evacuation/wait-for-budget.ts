import { idOfObject } from '../api/kubernetes/object-id.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { isReady } from '../api/kubernetes/pod-availability.ts'
import type { EvictionRefusal } from '../kube/client/evict-outcome.ts'
import type { BackoffOptions } from '../runtime/backoff.ts'
import type { BudgetWatch, NamedBudget } from './budget-watch.ts'

/** KEP-4563: exponential, to approximately 15 minutes at most. */
export const evictionBackoff: BackoffOptions = { initialMs: 1_000, maxMs: 15 * 60_000, jitter: 0.1 }

/** An eviction that was refused. */
export interface RefusedEviction {
  readonly evacuation: Evacuation
  readonly pod: Pod | undefined
  readonly by: EvictionRefusal
  /** Of the watch, from before it was asked for. */
  readonly moment: number
  readonly signal: AbortSignal
}

/** Lets the evacuation be woken when a budget refused it. The API server does not say which ones, if they are several. */
export async function waitForBudget(
  { evacuation, pod, by, moment, signal }: RefusedEviction,
  budgets: Pick<BudgetWatch, 'wait' | 'covering'>,
): Promise<{ budgets?: readonly NamedBudget[] }> {
  if (by.kind !== 'budget' && by.kind !== 'budgetUnclear' && by.kind !== 'manyBudgets') return {}
  const { namespace, creationTimestamp = '' } = evacuation.metadata
  const wasReady = pod !== undefined && isReady(pod)
  const budget = by.kind === 'manyBudgets' ? undefined : by.budget
  const waiter = { key: idOfObject(evacuation), budget, wasReady, sinceMs: Date.parse(creationTimestamp) }
  budgets.wait(namespace, waiter, moment)
  if (by.kind !== 'manyBudgets') return {}
  return { budgets: await budgets.covering(namespace, pod?.metadata.labels ?? {}, signal) }
}
