import { expect, test } from 'vitest'
import { findUntolerated, tolerates, toleratesCordon } from './taints.ts'

const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' }

test.each([
  {
    name: 'same key, value and effect',
    toleration: { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
    expected: true,
  },
  { name: 'another value', toleration: { key: 'dedicated', value: 'web' }, expected: false },
  { name: 'another effect', toleration: { key: 'dedicated', value: 'db', effect: 'NoExecute' }, expected: false },
  { name: 'another key', toleration: { key: 'other', operator: 'Exists' }, expected: false },
  { name: 'Exists, whatever the value', toleration: { key: 'dedicated', operator: 'Exists' }, expected: true },
  { name: 'Exists without a key tolerates all', toleration: { operator: 'Exists' }, expected: true },
  { name: 'nothing tolerates nothing', toleration: {}, expected: false },
])('$name: $expected', ({ toleration, expected }) => {
  expect(tolerates(toleration, taint)).toBe(expected)
})

test.each([
  { operator: 'Lt', value: '10', actual: '9', expected: true },
  { operator: 'Lt', value: '10', actual: '10', expected: false },
  { operator: 'Gt', value: '-1', actual: '0', expected: true },
  { operator: 'Gt', value: '10', actual: '09', expected: false },
  { operator: 'Gt', value: 'many', actual: '9', expected: false },
])('$operator $value tolerates $actual: $expected', ({ operator, value, actual, expected }) => {
  expect(tolerates({ key: 'dedicated', operator, value }, { ...taint, value: actual })).toBe(expected)
})

test('finds the first taint of an effect that nothing tolerates', () => {
  const taints = [taint, { key: 'gpu', effect: 'NoExecute' }]
  expect(findUntolerated(taints, [], ['NoExecute'])?.key).toBe('gpu')
  expect(findUntolerated(taints, [{ key: 'gpu', operator: 'Exists' }], ['NoExecute'])).toBeUndefined()
  expect(findUntolerated(undefined, undefined, ['NoSchedule'])).toBeUndefined()
})

test('a cordon is tolerated like its taint', () => {
  expect(toleratesCordon([{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }])).toBe(true)
  expect(toleratesCordon([{ key: 'dedicated', operator: 'Exists' }])).toBe(false)
})
