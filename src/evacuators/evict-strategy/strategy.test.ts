import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import { strategyOf, unavailableMax } from './strategy.ts'

const key = 'kubernetes.io/evict-strategy'
const setWith = (value: string | undefined) =>
  stored<ReplicaSet>({
    metadata: { namespace: 'shop', name: 'web', ...(value === undefined ? {} : { annotations: { [key]: value } }) },
  })

test.each([
  { value: undefined, expected: { kind: 'none' } },
  { value: '{"maxUnavailable":1}', expected: { kind: 'paced', maxUnavailable: 1 } },
  { value: '{"maxUnavailable":"10%"}', expected: { kind: 'paced', maxUnavailable: '10%' } },
])('a ReplicaSet with $value has the strategy $expected', ({ value, expected }) => {
  expect(strategyOf(setWith(value))).toEqual(expected)
})

test.each([
  '',
  '1',
  'null',
  '{}',
  '{"maxUnavailable":0}',
  '{"maxUnavailable":-1}',
  '{"maxUnavailable":1.5}',
  '{"maxUnavailable":"0%"}',
  '{"maxUnavailable":"1"}',
  '{"maxUnavailable":[1]}',
  '{"maxunavailable":1}',
  '{maxUnavailable: 1}',
])('%j has no meaning, and the message says what would have', (value) => {
  expect(strategyOf(setWith(value))).toEqual({
    kind: 'invalid',
    message: `metadata.annotations[${key}] is ${JSON.stringify(value)}: it must be JSON with maxUnavailable, a whole number from 1 or a percentage from 1%, as in {"maxUnavailable":1} or {"maxUnavailable":"10%"}`,
  })
})

test.each([
  { maxUnavailable: 2, replicas: 6, expected: 2 },
  { maxUnavailable: '50%', replicas: 5, expected: 2 },
  { maxUnavailable: '10%', replicas: 6, expected: 1 },
])('$maxUnavailable of $replicas is $expected at once', ({ maxUnavailable, replicas, expected }) => {
  expect(unavailableMax(maxUnavailable, replicas)).toBe(expected)
})
