import { describe, expect, test } from 'vitest'
import type { StatefulSet } from '../../api/kubernetes/apps.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { isRollingOut, maxUnavailableOf, ordinalOf, wantedOrdinals, whyUnsupported } from './support.ts'

const optedIn = { annotations: { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' } }

function setOf(
  spec: NonNullable<StatefulSet['spec']> = {},
  metadata: Partial<StatefulSet['metadata']> = optedIn,
): StatefulSet {
  return stored({ metadata: { namespace: 'shop', name: 'db', ...metadata }, spec: { replicas: 5, ...spec } })
}

describe('the evacuator leaves a StatefulSet to eviction', () => {
  test.each([
    { name: 'that did not opt in', set: setOf({}, {}), expected: 'has no annotation' },
    {
      name: 'that opted into something else',
      set: setOf({}, { annotations: { 'evacuation.coordination.k8s.io/strategy': 'Surge' } }),
      expected: 'has no annotation',
    },
    { name: 'that waits for deletions', set: setOf({ updateStrategy: { type: 'OnDelete' } }), expected: 'OnDelete' },
    {
      name: 'that is being deleted',
      set: setOf({}, { ...optedIn, deletionTimestamp: '2026-01-01T00:00:00Z' }),
      expected: 'being deleted',
    },
  ])('$name', ({ set, expected }) => {
    expect(whyUnsupported(set)).toContain(expected)
  })

  test('and no other', () => {
    expect(whyUnsupported(setOf())).toBeUndefined()
    expect(whyUnsupported(setOf({ updateStrategy: { type: 'RollingUpdate' } }))).toBeUndefined()
  })
})

test.each([
  { maxUnavailable: undefined, expected: 1 },
  { maxUnavailable: 2, expected: 2 },
  { maxUnavailable: '50%', expected: 2 },
  { maxUnavailable: '1%', expected: 1 },
  { maxUnavailable: 'some', expected: 1 },
])('of 5 pods $expected may be down with maxUnavailable $maxUnavailable', ({ maxUnavailable, expected }) => {
  const rollingUpdate = maxUnavailable === undefined ? {} : { maxUnavailable }
  expect(maxUnavailableOf(setOf({ updateStrategy: { rollingUpdate } }))).toBe(expected)
})

test.each([
  { name: 'db-0', expected: 0 },
  { name: 'db-12', expected: 12 },
  { name: 'db-01', expected: undefined },
  { name: 'db-x', expected: undefined },
  { name: 'other-0', expected: undefined },
])('the ordinal of $name is $expected', ({ name, expected }) => {
  expect(ordinalOf(setOf(), stored<Pod>({ metadata: { namespace: 'shop', name } }))).toBe(expected)
})

test('ordinals begin where the set says', () => {
  expect(wantedOrdinals(setOf({ replicas: 3 }))).toEqual([0, 1, 2])
  expect(wantedOrdinals(setOf({ replicas: 2, ordinals: { start: 5 } }))).toEqual([5, 6])
})

test.each([
  {
    name: 'not once every pod has the new revision',
    status: { updateRevision: 'b', currentRevision: 'b' },
    expected: false,
  },
  {
    name: 'while pods have the old one',
    status: { updateRevision: 'b', currentRevision: 'a', updatedReplicas: 4 },
    expected: true,
  },
  { name: 'when nobody has noticed the change yet', status: { observedGeneration: 1 }, expected: true },
  {
    name: 'not beyond its partition',
    status: { updateRevision: 'b', currentRevision: 'a', updatedReplicas: 2 },
    partition: 3,
    expected: false,
  },
])('a StatefulSet rolls out, $name', ({ status, partition = 0, expected }) => {
  const set = setOf({ updateStrategy: { rollingUpdate: { partition } } }, { generation: 2 })
  expect(isRollingOut({ ...set, status: { observedGeneration: 2, ...status } })).toBe(expected)
})
