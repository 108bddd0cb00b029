import { describe, expect, test } from 'vitest'
import { openEvictor, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { atOnce, breath, type Evictor } from '../plugin.ts'
import { isActive, isOwnedBy, isSelected, leavableOf, mayLeave, selectedOn } from './pods-listed.ts'
import type { PodSelection } from '../policy/policy.ts'

test.each([
  { phase: 'Running', expected: true },
  { phase: 'Pending', expected: true },
  { phase: 'Unknown', expected: true },
  { phase: undefined, expected: true },
  { phase: 'Succeeded', expected: false },
  { phase: 'Failed', expected: false },
])('a pod in phase $phase is active: $expected', ({ phase, expected }) => {
  expect(isActive(podView({ name: 'p', phase }))).toBe(expected)
})

interface Row {
  readonly name: string
  readonly selection: PodSelection
  readonly pod?: Partial<PodChoices>
  readonly expected: boolean
}

const rows: readonly Row[] = [
  { name: 'without a selection every pod is selected', selection: {}, expected: true },
  {
    name: 'empty lists of namespaces exclude nothing',
    selection: { namespaces: { include: [], exclude: [] } },
    expected: true,
  },
  { name: 'its namespace is included', selection: { namespaces: { include: ['a', 'default'] } }, expected: true },
  { name: 'its namespace is not included', selection: { namespaces: { include: ['a'] } }, expected: false },
  { name: 'its namespace is excluded', selection: { namespaces: { exclude: ['default'] } }, expected: false },
  { name: 'another namespace is excluded', selection: { namespaces: { exclude: ['a'] } }, expected: true },
  {
    name: 'its labels match',
    selection: { labelSelector: { matchLabels: { app: 'web' } } },
    pod: { labels: { app: 'web' } },
    expected: true,
  },
  { name: 'its labels do not match', selection: { labelSelector: { matchLabels: { app: 'web' } } }, expected: false },
  { name: 'an empty selector selects every pod', selection: { labelSelector: {} }, expected: true },
  {
    name: 'its labels match, its namespace does not',
    selection: { namespaces: { include: ['a'] }, labelSelector: { matchLabels: { app: 'web' } } },
    pod: { labels: { app: 'web' } },
    expected: false,
  },
]

test.each(rows)('$name', ({ selection, pod, expected }) => {
  expect(isSelected(podView({ name: 'p', ...pod }), selection)).toBe(expected)
})

test('of a node those that are selected are listed, in every phase', () => {
  const pods = [
    podView({ name: 'a', phase: 'Failed' }),
    podView({ name: 'b', namespace: 'shop' }),
    podView({ name: 'c', namespace: 'shop', phase: 'Succeeded' }),
  ]
  const world = { podsOn: () => pods }
  expect(selectedOn(world, 'n1', { namespaces: { include: ['shop'] } }).map(({ name }) => name)).toEqual(['b', 'c'])
  expect(selectedOn(world, 'n1', {})).toEqual(pods)
})

test.each([
  { kinds: ['Job'], expected: false },
  { kinds: ['Job', 'ReplicaSet'], expected: true },
  { kinds: [], expected: false },
])('a pod of a ReplicaSet is owned by one of $kinds: $expected', ({ kinds, expected }) => {
  expect(isOwnedBy(podView({ name: 'p' }), kinds)).toBe(expected)
})

describe('may leave', () => {
  const refusing: Evictor['filter'] = () => 'no'
  test.each([
    { name: 'a pod that passes both filters', evictor: openEvictor, expected: true },
    { name: 'not one that is protected', evictor: { ...openEvictor, filter: refusing }, expected: false },
    { name: 'not one that fits no node', evictor: { ...openEvictor, preEvictionFilter: refusing }, expected: false },
  ])('$name', ({ evictor, expected }) => {
    expect(atOnce(mayLeave(podView({ name: 'p' }), evictor))).toBe(expected)
  })

  test('who is protected is not asked whether it fits', () => {
    const asked: string[] = []
    const evictor: Evictor = {
      filter: () => 'no',
      preEvictionFilter: ({ name }) => {
        asked.push(name)
        return undefined
      },
    }
    expect(atOnce(mayLeave(podView({ name: 'p' }), evictor))).toBe(false)
    expect(asked).toEqual([])
  })
  test('what takes long is done with breaths, before the question', () => {
    const told: string[] = []
    const evictor: Evictor = {
      filter: ({ name }) => (name === 'kept' ? 'no' : undefined),
      *consider({ name }) {
        told.push(`considers ${name}`)
        yield breath
      },
      preEvictionFilter: ({ name }) => {
        told.push(`asks about ${name}`)
        return name === 'misfit' ? 'no' : undefined
      },
    }
    const pods = ['kept', 'misfit', 'p'].map((name) => podView({ name }))
    const work = leavableOf(pods, evictor)
    expect([work.next().value, work.next().value]).toEqual([breath, breath])
    expect(atOnce(work).map(({ name }) => name)).toEqual(['p'])
    expect(told).toEqual(['considers misfit', 'asks about misfit', 'considers p', 'asks about p'])
  })
})
