import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { labelOf } from '../../api/kubernetes/label-selector.ts'
import type { Labels } from '../view.ts'

export interface LabelKeys {
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

/** The selector with the values that a pod has itself. A key that the pod lacks asks for nothing. */
export function narrowed(
  selector: LabelSelector | undefined,
  { matchLabelKeys = [], mismatchLabelKeys = [] }: LabelKeys,
  labels: Labels,
): LabelSelector | undefined {
  if (selector === undefined) return undefined
  const demands = [
    ...matchLabelKeys.map((key) => ({ key, operator: 'In' as const })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: 'NotIn' as const })),
  ].flatMap(({ key, operator }) => {
    const value = labelOf(labels, key)
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
  if (demands.length === 0) return selector
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...demands] }
}
