import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { selectorLimits } from '../../api/kubernetes/label-selector.ts'

/** What a selector asks for, one text each, sorted; nothing for no selector. */
function requirementsOf(selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined) return []
  const known = requirements.get(selector)
  if (known !== undefined) return known
  const { matchLabels = {}, matchExpressions = [] } = selector
  const texts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      [key, operator, ...values.toSorted()].join(' ').trimEnd(),
    ),
  ]
  const sorted = [...new Set(texts)].toSorted()
  requirements.set(selector, sorted)
  return sorted
}

const requirements = new WeakMap<LabelSelector, readonly string[]>()

/** The same text for selectors that ask for the same, in whatever order they do. Empty for none. */
export function selectorText(selector: LabelSelector | undefined): string {
  return requirementsOf(selector).join(',')
}

/** Whether all that the first selects the second selects too, as far as can be told by comparing what they ask for. */
export function isWithinSelector(inner: LabelSelector | undefined, outer: LabelSelector | undefined): boolean {
  const asked = requirementsOf(inner)
  return requirementsOf(outer).every((requirement) => asked.includes(requirement))
}

/** Selects what both select. Undefined: nothing can, or it takes more requirements than a selector may have. */
export function bothSelectors(one: LabelSelector, other: LabelSelector): LabelSelector | undefined {
  const labels = { ...one.matchLabels }
  for (const [key, value] of Object.entries(other.matchLabels ?? {})) {
    if (Object.hasOwn(labels, key) && labels[key] !== value) return undefined
    labels[key] = value
  }
  const expressions = new Map(
    [...(one.matchExpressions ?? []), ...(other.matchExpressions ?? [])].map((expression) => [
      selectorText({ matchExpressions: [expression] }),
      expression,
    ]),
  )
  const fits =
    Object.keys(labels).length <= selectorLimits.labelsMax && expressions.size <= selectorLimits.requirementsMax
  if (!fits) return undefined
  return {
    ...(Object.keys(labels).length === 0 ? {} : { matchLabels: labels }),
    ...(expressions.size === 0 ? {} : { matchExpressions: [...expressions.values()] }),
  }
}
