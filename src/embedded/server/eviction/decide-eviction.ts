import type { StatusCause } from '../../../api/kubernetes/meta.ts'
import { ApiFailure, forbidden, tooManyRequests } from '../failure.ts'
import type { Stored } from '../store.ts'
import type { BudgetStatus, DisruptionBudget } from './disruption-budget.ts'

/** What becomes of an eviction, once it is clear which budgets match the pod. */
export type EvictionDecision =
  /** No budget is asked, or it does not mind. */
  | { readonly kind: 'delete' }
  /** The budget gives one of its disruptions away. */
  | { readonly kind: 'deleteFromBudget'; readonly budget: DisruptionBudget }
  | { readonly kind: 'refuse'; readonly failure: ApiFailure }

const disruptedPodsMax = 2_000
const stillProcessedRetrySeconds = 10
const refusal = "Cannot evict pod as it would violate the pod's disruption budget."

/** The rules of the eviction subresource, KEP-3017 included, in the order of the real server. */
export function decideEviction(pod: Stored, budgets: readonly DisruptionBudget[]): EvictionDecision {
  if (isBeyondBudgets(pod)) return { kind: 'delete' }
  const [budget, ...others] = budgets
  if (budget === undefined) return { kind: 'delete' }
  if (others.length > 0) return { kind: 'refuse', failure: manyBudgets() }
  if (!isReady(pod) && mayGoUnready(budget)) return { kind: 'delete' }
  const failure = refusalOf(budget)
  return failure === undefined ? { kind: 'deleteFromBudget', budget } : { kind: 'refuse', failure }
}

/** A pod that has ended, has not begun, or is on its way out already: its going disrupts nothing. */
function isBeyondBudgets(pod: Stored): boolean {
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase
  return (
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  )
}

export function isReady(pod: Stored): boolean {
  const conditions = (pod['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined)
    ?.conditions
  return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

/** An unready pod counts for nothing: it may go at any time, or as long as the application is whole without it. */
function mayGoUnready({ spec, status }: DisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

function refusalOf(budget: DisruptionBudget): ApiFailure | undefined {
  const { name, generation = 0 } = budget.metadata
  const status: BudgetStatus = budget.status ?? {}
  if ((status.observedGeneration ?? 0) < generation) return stillProcessed(name)
  const allowed = status.disruptionsAllowed ?? 0
  if (allowed < 0)
    return forbiddenBy(name, 'pdb disruptions allowed is negative', 'pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > disruptedPodsMax) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    return forbiddenBy(name, why, 'too many pending evictions not confirmed by PDB controller')
  }
  return allowed === 0 ? tooManyRequests(refusal, 0, [causeOf(nothingLeft(name, status))]) : undefined
}

/** The numbers of a failed sync are not to be trusted, so its message comes before them. */
function nothingLeft(name: string, status: BudgetStatus): string {
  const { currentHealthy = 0, desiredHealthy = 0 } = status
  const condition = status.conditions?.find(({ type }) => type === 'DisruptionAllowed')
  const says = condition?.status === 'False' && condition.message !== '' ? condition : undefined
  if (says?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${says.message}`
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  const base = `The disruption budget ${name} does not allow evicting pods currently`
  return says === undefined ? base : `${base} (${says.reason}): ${says.message}`
}

/** Also the answer when an unready pod became ready while its eviction was under way. */
export function stillProcessed(name: string): ApiFailure {
  const cause = causeOf(`The disruption budget ${name} is still being processed by the server.`)
  return tooManyRequests(refusal, stillProcessedRetrySeconds, [cause])
}

function manyBudgets(): ApiFailure {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
  return new ApiFailure(500, '', message)
}

function forbiddenBy(name: string, why: string, causeText: string): ApiFailure {
  const cause = causeOf(`The disruption budget ${name} does not allow evicting pods currently: ${causeText}`)
  return forbidden({ group: 'policy', plural: 'poddisruptionbudget' }, name, why, [cause])
}

function causeOf(message: string): StatusCause {
  return { reason: 'DisruptionBudget', message }
}
