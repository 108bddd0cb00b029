import { expect, test } from 'vitest'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { narrowed, type LabelKeys } from './label-keys.ts'

const web = { matchLabels: { app: 'web' } }
const rows: readonly {
  readonly name: string
  readonly keys: LabelKeys
  readonly labels: Record<string, string>
  readonly expected: boolean
}[] = [
  { name: 'without keys the selector decides', keys: {}, labels: { app: 'web' }, expected: true },
  { name: 'without keys the selector refuses', keys: {}, labels: { app: 'db', version: '1' }, expected: false },
  {
    name: 'the same value matches',
    keys: { matchLabelKeys: ['version'] },
    labels: { app: 'web', version: '1' },
    expected: true,
  },
  {
    name: 'another value does not match',
    keys: { matchLabelKeys: ['version'] },
    labels: { app: 'web', version: '2' },
    expected: false,
  },
  {
    name: 'no value does not match',
    keys: { matchLabelKeys: ['version'] },
    labels: { app: 'web' },
    expected: false,
  },
  {
    name: 'a key that the pod lacks asks for nothing',
    keys: { matchLabelKeys: ['absent'], mismatchLabelKeys: ['absent'] },
    labels: { app: 'web', absent: 'x' },
    expected: true,
  },
  {
    name: 'another value mismatches',
    keys: { mismatchLabelKeys: ['version'] },
    labels: { app: 'web', version: '2' },
    expected: true,
  },
  {
    name: 'the same value does not mismatch',
    keys: { mismatchLabelKeys: ['version'] },
    labels: { app: 'web', version: '1' },
    expected: false,
  },
  {
    name: 'both keys must hold',
    keys: { matchLabelKeys: ['app'], mismatchLabelKeys: ['version'] },
    labels: { app: 'web', version: '1' },
    expected: false,
  },
]

test.each(rows)('$name', ({ keys, labels, expected }) => {
  const selector = narrowed(web, keys, { app: 'web', version: '1' })
  expect(selector !== undefined && matchesLabelSelector(selector, labels)).toBe(expected)
})

test('no selector stays none, and expressions of the selector stay', () => {
  expect(narrowed(undefined, { matchLabelKeys: ['app'] }, { app: 'web' })).toBeUndefined()
  const exists = { key: 'team', operator: 'Exists' as const }
  expect(narrowed({ matchExpressions: [exists] }, { matchLabelKeys: ['app'] }, { app: 'web' })).toEqual({
    matchExpressions: [exists, { key: 'app', operator: 'In', values: ['web'] }],
  })
})
