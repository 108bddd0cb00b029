import type { NodeSelector } from './node-selector.ts'

// Label selectors as one line of text, as kubectl and the API server read them.

export type Condition = NonNullable<NodeSelector['nodeSelectorTerms'][number]['matchExpressions']>[number]

/** The conditions, all of which must hold; or the part of the text that is none. */
export type ParsedSelector = { readonly conditions: readonly Condition[] } | { readonly faultyPart: string }

const key = String.raw`(?<key>(?:[\w.-]+/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)`
const value = String.raw`(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?`
const forms: readonly (readonly [RegExp, (groups: Groups) => Omit<Condition, 'key'>])[] = [
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

/** `zone=a,!gpu,arch in (arm64,amd64)`. A text without any condition is for the caller to judge: it has none. */
export function parseSelectorText(text: string): ParsedSelector {
  if (text.trim() === '') return { conditions: [] }
  const conditions: Condition[] = []
  for (const part of splitOutsideBrackets(text)) {
    const condition = parseCondition(part.trim())
    if (condition === undefined) return { faultyPart: part.trim() }
    conditions.push(condition)
  }
  return { conditions }
}

function parseCondition(part: string): Condition | undefined {
  for (const [form, read] of forms) {
    const groups: Groups | undefined = form.exec(part)?.groups
    if (groups?.key === undefined) continue
    const condition = { key: groups.key, ...read(groups) }
    return condition.values?.every((each) => whole(value).test(each)) === false ? undefined : condition
  }
  return undefined
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
