import { describe, expect, test } from 'vitest'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import { parseLabelSelector, sameSelector, selectByName } from './selector.ts'

describe('-l', () => {
  test.each([
    ['zone=a', [{ key: 'zone', operator: 'In', values: ['a'] }]],
    ['zone==a', [{ key: 'zone', operator: 'In', values: ['a'] }]],
    ['zone=', [{ key: 'zone', operator: 'In', values: [''] }]],
    ['zone != a', [{ key: 'zone', operator: 'NotIn', values: ['a'] }]],
    ['zone in (a, b)', [{ key: 'zone', operator: 'In', values: ['a', 'b'] }]],
    ['zone notin (a,b)', [{ key: 'zone', operator: 'NotIn', values: ['a', 'b'] }]],
    ['gpu', [{ key: 'gpu', operator: 'Exists' }]],
    ['!gpu', [{ key: 'gpu', operator: 'DoesNotExist' }]],
    ['in', [{ key: 'in', operator: 'Exists' }]],
    ['cores>8', [{ key: 'cores', operator: 'Gt', values: ['8'] }]],
    ['cores < 8', [{ key: 'cores', operator: 'Lt', values: ['8'] }]],
    [
      'topology.kubernetes.io/zone in (a,b),!gpu,pool=x-1',
      [
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] },
        { key: 'gpu', operator: 'DoesNotExist' },
        { key: 'pool', operator: 'In', values: ['x-1'] },
      ],
    ],
  ])('%s', (text, expected) => {
    const selector = parseLabelSelector(text)
    expect(selector).toEqual({ nodeSelectorTerms: [{ matchExpressions: expected }] })
    const maintenance = { metadata: {}, spec: { nodeSelector: selector, stage: 'Drain' } }
    expect(validateNodeMaintenance(maintenance)).toEqual([])
  })

  test.each([
    '',
    ' ',
    'zone=a,',
    'zone in a',
    'zone in (a',
    '=a',
    'zone=a b',
    '-zone=a',
    'zone in (a/b)',
    'a&b',
    'cores>x',
  ])('"%s" is none, and the error shows how', (text) =>
    expect(() => parseLabelSelector(text)).toThrow(/^-l ".*" is no selector: /),
  )

  test('more conditions than a maintenance takes are too many', () => {
    expect(() => parseLabelSelector(Array.from({ length: 17 }, (_, index) => `a${index}`).join())).toThrow(
      'more than 16',
    )
  })
})

test('names are one term each, as the API wants it', () => {
  const selector = selectByName(['a', 'b'])
  expect(selector.nodeSelectorTerms).toHaveLength(2)
  expect(validateNodeMaintenance({ metadata: {}, spec: { nodeSelector: selector, stage: 'Drain' } })).toEqual([])
})

test.each([
  { name: 'in another order', one: selectByName(['a', 'b']), other: selectByName(['b', 'a']), expected: true },
  { name: 'with a node more', one: selectByName(['a']), other: selectByName(['a', 'b']), expected: false },
  {
    name: 'with values in another order',
    one: parseLabelSelector('zone in (a,b),gpu'),
    other: parseLabelSelector('gpu,zone in (b,a)'),
    expected: true,
  },
  { name: 'by another operator', one: parseLabelSelector('gpu'), other: parseLabelSelector('!gpu'), expected: false },
  { name: 'by labels instead of a name', one: parseLabelSelector('a'), other: selectByName(['a']), expected: false },
])('a selector $name is the same: $expected', ({ one, other, expected }) =>
  expect(sameSelector(one, other)).toBe(expected),
)
