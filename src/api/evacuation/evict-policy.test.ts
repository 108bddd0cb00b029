import { expect, test } from 'vitest'
import { evictTimeoutMsOf, isTakenOver } from './evict-policy.ts'

const timeout = 'kubernetes.io/evict-timeout'
const policy = 'kubernetes.io/evict-policy'

test.each([
  { value: '1s', expected: 1_000 },
  { value: '90s', expected: 90_000 },
  { value: '5m', expected: 300_000 },
  { value: '1h30m', expected: 5_400_000 },
  { value: '1h0m5s', expected: 3_605_000 },
  { value: '24h', expected: 86_400_000 },
  { value: '1440m', expected: 86_400_000 },
  { value: '24h1s', expected: undefined },
  { value: '0s', expected: undefined },
  { value: '', expected: undefined },
  { value: '60', expected: undefined },
  { value: '1.5m', expected: undefined },
  { value: '-5m', expected: undefined },
  { value: '5s1m', expected: undefined },
  { value: '5m ', expected: undefined },
  { value: '5m\n', expected: undefined },
  { value: '999999s', expected: undefined },
])('the timeout "$value" is $expected ms', ({ value, expected }) => {
  expect(evictTimeoutMsOf({ metadata: { annotations: { [timeout]: value } } })).toBe(expected)
})

test('a pod without a timeout says nothing', () => {
  expect(evictTimeoutMsOf({ metadata: {} })).toBeUndefined()
})

const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1' }

test.each([
  { name: 'nothing', metadata: {}, expected: false },
  {
    name: 'the policy and nobody to ask',
    metadata: { annotations: { [policy]: 'ControllerTakeOver' } },
    expected: false,
  },
  {
    name: 'the policy and an owner that is no controller',
    metadata: { annotations: { [policy]: 'ControllerTakeOver' }, ownerReferences: [set] },
    expected: false,
  },
  {
    name: 'the policy and a controller',
    metadata: { annotations: { [policy]: 'ControllerTakeOver' }, ownerReferences: [{ ...set, controller: true }] },
    expected: true,
  },
  {
    name: 'another policy and a controller',
    metadata: { annotations: { [policy]: 'Default' }, ownerReferences: [{ ...set, controller: true }] },
    expected: false,
  },
])('a pod with $name is taken over: $expected', ({ metadata, expected }) => {
  expect(isTakenOver({ metadata })).toBe(expected)
})
