import type { NodeSelector } from '../api/node-selector.ts'
import { nodeSelectorLimits } from '../api/node-selector.ts'
import { CommandError, exitCodes } from './errors.ts'

// kubectl's label selectors, as conditions of a NodeMaintenance.

type Expression = NonNullable<NodeSelector['nodeSelectorTerms'][number]['matchExpressions']>[number]

const key = String.raw`(?<key>(?:[\w.-]+/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)`
const value = String.raw`(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?`
const forms: readonly (readonly [RegExp, (groups: Groups) => Omit<Expression, 'key'>])[] = [
  [whole(`!\\s*${key}`), () => ({ operator: 'DoesNotExist' })],
  [whole(key), () => ({ operator: 'Exists' })],
  [whole(`${key}\\s+in\\s*\\((?<values>[^()]*)\\)`), ({ values }) => ({ operator: 'In', values: listed(values) })],
  [
    whole(`${key}\\s+notin\\s*\\((?<values>[^()]*)\\)`),
    ({ values }) => ({ operator: 'NotIn', values: listed(values) }),
  ],
  [whole(`${key}\\s*!=\\s*(?<values>${value})`), ({ values = '' }) => ({ operator: 'NotIn', values: [values] })],
  [whole(`${key}\\s*==?\\s*(?<values>${value})`), ({ values = '' }) => ({ operator: 'In', values: [values] })],
  [whole(`${key}\\s*>\\s*(?<values>-?\\d+)`), ({ values = '' }) => ({ operator: 'Gt', values: [values] })],
  [whole(`${key}\\s*<\\s*(?<values>-?\\d+)`), ({ values = '' }) => ({ operator: 'Lt', values: [values] })],
]

interface Groups {
  readonly key?: string
  readonly values?: string
}

/** `zone=a,!gpu,arch in (arm64,amd64)`: as kubectl reads -l. */
export function parseLabelSelector(text: string): NodeSelector {
  const parts = splitOutsideBrackets(text)
  if (text.trim() === '') throw wrongSelector(text, 'it is empty, and would select every node')
  const matchExpressions = parts.map((part) => parseRequirement(text, part.trim()))
  if (matchExpressions.length > nodeSelectorLimits.requirementsMax) {
    throw wrongSelector(text, `it has more than ${nodeSelectorLimits.requirementsMax} conditions`)
  }
  return { nodeSelectorTerms: [{ matchExpressions }] }
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

function selectorText({ nodeSelectorTerms }: NodeSelector): string {
  const terms = nodeSelectorTerms.map(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields]
      .map((condition) => JSON.stringify([condition.key, condition.operator, (condition.values ?? []).toSorted()]))
      .toSorted()
      .join(),
  )
  return [...new Set(terms)].toSorted().join(' or ')
}

function parseRequirement(selector: string, part: string): Expression {
  for (const [form, read] of forms) {
    const groups: Groups | undefined = form.exec(part)?.groups
    if (groups?.key === undefined) continue
    const requirement = { key: groups.key, ...read(groups) }
    if (requirement.values?.some((each) => !whole(value).test(each)) === true) break
    return requirement
  }
  throw wrongSelector(selector, `"${part}" is no condition`)
}

function listed(values = ''): string[] {
  return values.split(',').map((each) => each.trim())
}

function splitOutsideBrackets(text: string): string[] {
  return text.split(/,(?![^()]*\))/u)
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'u')
}

function wrongSelector(text: string, why: string): CommandError {
  return new CommandError(`-l ${JSON.stringify(text)} is no selector: ${why}`, {
    advice:
      'It takes conditions such as zone=a, zone!=a, "zone in (a,b)", "zone notin (a,b)", gpu or \'!gpu\', with commas between.',
    exitCode: exitCodes.usage,
  })
}
