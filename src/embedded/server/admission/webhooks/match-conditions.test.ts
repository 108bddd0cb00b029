import { expect, test } from 'vitest'
import { compileConditions } from './match-conditions.ts'

const outcomeOf = (expressions: readonly string[], failurePolicy?: string) => {
  const conditions = expressions.map((expression, at) => ({ name: `condition-${at}`, expression }))
  return compileConditions(conditions, ['object'], failurePolicy)({ object: () => ({}) })
}

test.each([
  { expressions: [], policy: 'Fail', kind: 'matches' },
  { expressions: ['true', 'true'], policy: 'Fail', kind: 'matches' },
  { expressions: ['true', 'false'], policy: 'Fail', kind: 'exempt' },
  { expressions: ['object.x', 'false'], policy: 'Fail', kind: 'exempt' },
  { expressions: ['object.x', 'true'], policy: 'Fail', kind: 'error' },
  { expressions: ['object.x', 'true'], policy: undefined, kind: 'error' },
  { expressions: ['object.x', 'true'], policy: 'Ignore', kind: 'exempt' },
])('$expressions under $policy: $kind', ({ expressions, policy, kind }) => {
  expect(outcomeOf(expressions, policy).kind).toBe(kind)
})

test('one error is told as it is, several as a list', () => {
  const one = "expression 'object.x' resulted in error: no such key: x"
  const other = "expression 'object.y' resulted in error: no such key: y"
  expect(outcomeOf(['object.x'])).toEqual({ kind: 'error', message: one })
  expect(outcomeOf(['object.x', 'object.y'])).toEqual({ kind: 'error', message: `[${one}, ${other}]` })
})
