import type { LabelSelector, NamespacedMeta } from '../../../api/kubernetes/meta.ts'

export type DisruptionBudget = {
  metadata: NamespacedMeta
  spec?: BudgetSpec
  status?: BudgetStatus
}

export interface BudgetSpec {
  minAvailable?: number | string
  maxUnavailable?: number | string
  selector?: LabelSelector
  unhealthyPodEvictionPolicy?: string
}

export interface BudgetStatus {
  readonly observedGeneration?: number
  readonly disruptedPods?: Readonly<Record<string, string>>
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly expectedPods?: number
  readonly conditions?: readonly BudgetCondition[]
}

export interface BudgetCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

/** What a budget's condition says follows from its numbers. The time moves only when the answer changes. */
export function disruptionAllowedCondition(
  { disruptionsAllowed = 0, conditions = [] }: BudgetStatus,
  observedGeneration: number,
  now: string,
): BudgetCondition {
  const status = disruptionsAllowed > 0 ? 'True' : 'False'
  const reason = disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods'
  const before = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now
  return { type: 'DisruptionAllowed', status, reason, message: '', observedGeneration, lastTransitionTime }
}
