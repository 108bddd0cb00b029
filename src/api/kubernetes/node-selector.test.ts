import { describe, expect, test } from 'vitest'
import { matchesNodeSelector, namesIn, type NodeSelector } from './node-selector.ts'

type Term = NodeSelector['nodeSelectorTerms'][number]
type Operator = NonNullable<Term['matchExpressions']>[number]['operator']

const node = { metadata: { name: 'one', labels: { pool: 'blue', cores: '16', huge: '9007199254740993' } } }
const label = (key: string, operator: Operator, ...values: string[]): Term => ({
  matchExpressions: [{ key, operator, values }],
})
const named = (operator: 'In' | 'NotIn', name: string): Term => ({
  matchFields: [{ key: 'metadata.name', operator, values: [name] }],
})

describe('matchesNodeSelector', () => {
  test.each<{ name: string; terms: Term[]; expected: boolean }>([
    { name: 'no term selects no node', terms: [], expected: false },
    { name: 'an empty term selects no node', terms: [{}], expected: false },
    {
      name: 'a term of empty lists selects no node',
      terms: [{ matchExpressions: [], matchFields: [] }],
      expected: false,
    },
    { name: 'In selects by value', terms: [label('pool', 'In', 'green', 'blue')], expected: true },
    { name: 'In passes over other values', terms: [label('pool', 'In', 'green')], expected: false },
    { name: 'NotIn selects a node without the label', terms: [label('zone', 'NotIn', 'a')], expected: true },
    { name: 'Exists selects by presence', terms: [label('pool', 'Exists')], expected: true },
    { name: 'DoesNotExist selects by absence', terms: [label('pool', 'DoesNotExist')], expected: false },
    { name: 'Gt compares numbers, not text', terms: [label('cores', 'Gt', '9')], expected: true },
    { name: 'Gt is strict', terms: [label('cores', 'Gt', '16')], expected: false },
    { name: 'Lt compares numbers', terms: [label('cores', 'Lt', '100')], expected: true },
    { name: 'Lt of a label that is no number', terms: [label('pool', 'Lt', '100')], expected: false },
    { name: 'Gt of a missing label', terms: [label('zone', 'Gt', '1')], expected: false },
    { name: 'Gt beyond what a double holds', terms: [label('huge', 'Gt', '9007199254740992')], expected: true },
    { name: 'Gt against more than 64 bits', terms: [label('cores', 'Lt', '9223372036854775808')], expected: false },
    {
      name: 'Gt against a signed number',
      terms: [label('cores', 'Gt', '-1'), label('cores', 'Gt', '+99')],
      expected: true,
    },
    { name: 'a field selects by name', terms: [named('In', 'one')], expected: true },
    { name: 'a field passes over a name', terms: [named('NotIn', 'one')], expected: false },
    { name: 'terms are alternatives', terms: [named('In', 'two'), label('pool', 'In', 'blue')], expected: true },
    {
      name: 'within a term everything must hold',
      terms: [{ ...named('In', 'one'), ...label('pool', 'In', 'green') }],
      expected: false,
    },
  ])('$name: $expected', ({ terms, expected }) => {
    expect(matchesNodeSelector({ nodeSelectorTerms: terms }, node)).toBe(expected)
  })
})

test.each<{ name: string; terms: Term[]; expected: string[] | undefined }>([
  { name: 'terms with names give them', terms: [named('In', 'one'), named('In', 'two')], expected: ['one', 'two'] },
  { name: 'a label beside a name', terms: [{ ...named('In', 'one'), ...label('pool', 'Exists') }], expected: ['one'] },
  { name: 'a term by label selects any', terms: [named('In', 'one'), label('pool', 'Exists')], expected: undefined },
  { name: 'a name that is left out selects any other', terms: [named('NotIn', 'one')], expected: undefined },
  { name: 'an empty term selects none', terms: [{}], expected: [] },
])('the nodes that a selector may select: $name', ({ terms, expected }) => {
  const names = namesIn({ nodeSelectorTerms: terms })
  expect(names === undefined ? undefined : [...names]).toEqual(expected)
})
