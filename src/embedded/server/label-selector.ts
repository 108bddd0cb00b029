import { badRequest } from './failure.ts'

/** A selector of a query: `app=web,tier in (a, b),!legacy`. */
export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean

type Requirement = { readonly key: string; readonly matches: (value: string | undefined) => boolean }

const setBased = /^([^\s!=()]+)\s+(in|notin)\s*\(([^()]*)\)$/
const equality = /^([^\s!=()]+)\s*(==|=|!=)\s*([^\s!=()]*)$/
const existence = /^(!?)\s*([^\s!=()]+)$/

export function parseLabelSelector(text: string): LabelMatcher {
  const requirements = splitOutsideParentheses(text).map(parseRequirement)
  return (labels) => requirements.every(({ key, matches }) => matches(labels[key]))
}

function parseRequirement(text: string): Requirement {
  const [, setKey, operator, list] = setBased.exec(text) ?? []
  if (setKey !== undefined) {
    const values = new Set((list ?? '').split(',').map((value) => value.trim()))
    return operator === 'in'
      ? { key: setKey, matches: (value) => value !== undefined && values.has(value) }
      : { key: setKey, matches: (value) => value === undefined || !values.has(value) }
  }
  const [, key, sign, wanted] = equality.exec(text) ?? []
  if (key !== undefined) return { key, matches: (value) => (sign === '!=' ? value !== wanted : value === wanted) }
  const [, not, presentKey] = existence.exec(text) ?? []
  if (presentKey !== undefined) return { key: presentKey, matches: (value) => (value === undefined) === (not === '!') }
  const [, found = ''] = text.split(/\s+/)
  throw badRequest(`unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`)
}

function splitOutsideParentheses(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
