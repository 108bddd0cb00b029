import type { WorkloadCondition } from './objects.ts'

type Change = Required<Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>>

export function findCondition(
  conditions: readonly WorkloadCondition[] | undefined,
  type: string,
): WorkloadCondition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function withoutCondition(conditions: readonly WorkloadCondition[], type: string): readonly WorkloadCondition[] {
  return conditions.filter((condition) => condition.type !== type)
}

/** The same status for the same reason is no news. A new one goes to the end of the list, as upstream has it. */
export function withWorkloadCondition(
  conditions: readonly WorkloadCondition[],
  change: Change,
  now: string,
  options: { readonly alwaysUpdate?: boolean } = {},
): readonly WorkloadCondition[] {
  const before = findCondition(conditions, change.type)
  const isSame = before?.status === change.status && before.reason === change.reason
  if (isSame && options.alwaysUpdate !== true) return conditions
  const lastTransitionTime = before?.status === change.status ? (before.lastTransitionTime ?? now) : now
  return [...withoutCondition(conditions, change.type), { ...change, lastUpdateTime: now, lastTransitionTime }]
}
