import type { NodeSelector } from '../../api/kubernetes/node-selector.ts'
import { nodeSelectorLimits } from '../../api/kubernetes/node-selector.ts'
import { parseSelectorText } from '../../api/kubernetes/selector-text.ts'
import { CommandError, exitCodes } from '../output/errors.ts'

// kubectl's label selectors, as conditions of a NodeMaintenance.

/** `zone=a,!gpu,arch in (arm64,amd64)`: as kubectl reads -l. */
export function parseLabelSelector(text: string): NodeSelector {
  if (text.trim() === '') throw wrongSelector(text, 'it is empty, and would select every node')
  const parsed = parseSelectorText(text)
  if ('faultyPart' in parsed) throw wrongSelector(text, `"${parsed.faultyPart}" is no condition`)
  if (parsed.conditions.length > nodeSelectorLimits.requirementsMax) {
    throw wrongSelector(text, `it has more than ${nodeSelectorLimits.requirementsMax} conditions`)
  }
  return { nodeSelectorTerms: [{ matchExpressions: [...parsed.conditions] }] }
}

/** One term each: a condition on the name takes exactly one. */
export function selectByName(names: readonly string[]): NodeSelector {
  const nodeSelectorTerms = names.map((name) => ({
    matchFields: [{ key: 'metadata.name' as const, operator: 'In' as const, values: [name] }],
  }))
  return { nodeSelectorTerms }
}

/** Whether they ask for the same, in whatever order they do. */
export function sameSelector(one: NodeSelector, other: NodeSelector): boolean {
  return selectorText(one) === selectorText(other)
}

/** The same for selectors that ask for the same. */
export function selectorText({ nodeSelectorTerms }: NodeSelector): string {
  const terms = nodeSelectorTerms.map(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields]
      .map((condition) => JSON.stringify([condition.key, condition.operator, (condition.values ?? []).toSorted()]))
      .toSorted()
      .join(),
  )
  return [...new Set(terms)].toSorted().join(' or ')
}

function wrongSelector(text: string, why: string): CommandError {
  return new CommandError(`-l ${JSON.stringify(text)} is no selector: ${why}`, {
    advice:
      'It takes conditions such as zone=a, zone!=a, "zone in (a,b)", "zone notin (a,b)", gpu or \'!gpu\', with commas between.',
    exitCode: exitCodes.usage,
  })
}
