import { expect, test } from 'vitest'
import { matchesNodeSelector } from './node-selector.ts'
import { parseSelectorText } from './selector-text.ts'

test.each([
  { text: '', expected: [] },
  { text: '  ', expected: [] },
  { text: 'zone=a', expected: [{ key: 'zone', operator: 'In', values: ['a'] }] },
  { text: 'zone == a', expected: [{ key: 'zone', operator: 'In', values: ['a'] }] },
  { text: 'zone=', expected: [{ key: 'zone', operator: 'In', values: [''] }] },
  { text: 'zone!=a', expected: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
  { text: 'zone in(a, b)', expected: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] },
  { text: 'zone notin (a)', expected: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] },
  { text: 'example.com/gpu', expected: [{ key: 'example.com/gpu', operator: 'Exists' }] },
  { text: '! gpu', expected: [{ key: 'gpu', operator: 'DoesNotExist' }] },
  { text: 'cores>8', expected: [{ key: 'cores', operator: 'Gt', values: ['8'] }] },
  { text: 'cores<8', expected: [{ key: 'cores', operator: 'Lt', values: ['8'] }] },
  {
    text: 'zone in (a,b), !gpu',
    expected: [
      { key: 'zone', operator: 'In', values: ['a', 'b'] },
      { key: 'gpu', operator: 'DoesNotExist' },
    ],
  },
])('"$text" has its conditions', ({ text, expected }) => {
  expect(parseSelectorText(text)).toEqual({ conditions: expected })
})

test.each([
  { text: 'zone=a,', faultyPart: '' },
  { text: 'gpu,zone in a', faultyPart: 'zone in a' },
  { text: 'zone in (a', faultyPart: 'zone in (a' },
  { text: '=a', faultyPart: '=a' },
  { text: 'zone=a b', faultyPart: 'zone=a b' },
  { text: 'zone in (a/b)', faultyPart: 'zone in (a/b)' },
  { text: 'cores>x', faultyPart: 'cores>x' },
])('"$text" is told by its first wrong part', ({ text, faultyPart }) => {
  expect(parseSelectorText(text)).toEqual({ faultyPart })
})

test('conditions match nodes as a term of a node selector', () => {
  const parsed = parseSelectorText('zone notin (a),cores>8')
  if (!('conditions' in parsed)) throw new Error('the text is a selector')
  const selector = { nodeSelectorTerms: [{ matchExpressions: [...parsed.conditions] }] }
  expect(matchesNodeSelector(selector, { metadata: { name: 'six', labels: { cores: '16' } } })).toBe(true)
  expect(matchesNodeSelector(selector, { metadata: { name: 'six', labels: { cores: '8' } } })).toBe(false)
})
