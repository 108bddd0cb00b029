import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { ReplicaSet } from '../objects.ts'
import { newSetReplicas, planRecreate, planRollingUpdate } from './plan-rollout.ts'

const setOf = (name: string, replicas: number, available = replicas): ReplicaSet => ({
  metadata: storedMeta({ name }),
  spec: { replicas },
  status: { availableReplicas: available },
})

function viewOf(options: {
  replicas: number
  surge: number
  unavailable: number
  next?: ReplicaSet
  old: ReplicaSet[]
  type?: string
}) {
  const { replicas, surge, unavailable, next, old, type = 'RollingUpdate' } = options
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable }
  return {
    deployment: { metadata: storedMeta(), spec: { replicas, strategy: { type, rollingUpdate } } },
    newSet: next,
    oldSets: old,
  }
}

const texts = (scales: readonly { set: ReplicaSet; replicas: number }[]) =>
  scales.map(({ set, replicas }) => `${set.metadata.name} to ${replicas}`)

describe('a rolling update', () => {
  test.each([
    {
      name: 'first grows by the surge',
      replicas: 10,
      surge: 3,
      unavailable: 2,
      next: setOf('new', 0),
      old: [setOf('old', 10)],
      expected: ['new to 3'],
    },
    {
      name: 'then shrinks the old by what may be missing',
      replicas: 10,
      surge: 3,
      unavailable: 2,
      next: setOf('new', 3, 0),
      old: [setOf('old', 10)],
      expected: ['old to 8'],
    },
    {
      name: 'waits for the new ones',
      replicas: 10,
      surge: 3,
      unavailable: 0,
      next: setOf('new', 3, 0),
      old: [setOf('old', 10)],
      expected: [],
    },
    {
      name: 'goes on with as many as are available',
      replicas: 10,
      surge: 3,
      unavailable: 0,
      next: setOf('new', 3, 2),
      old: [setOf('old', 10)],
      expected: ['old to 8'],
    },
    {
      name: 'takes down what does not work first',
      replicas: 10,
      surge: 0,
      unavailable: 2,
      next: setOf('new', 2, 2),
      old: [setOf('bad', 2, 0), setOf('old', 6)],
      expected: ['bad to 0'],
    },
    {
      name: 'never counts on new ones that do not work',
      replicas: 4,
      surge: 1,
      unavailable: 1,
      next: setOf('new', 2, 0),
      old: [setOf('old', 3)],
      expected: [],
    },
    {
      name: 'keeps old ones that do not work while the new ones do not either',
      replicas: 10,
      surge: 3,
      unavailable: 2,
      next: setOf('new', 5, 0),
      old: [setOf('old', 8, 6)],
      expected: [],
    },
    {
      name: 'is over',
      replicas: 3,
      surge: 1,
      unavailable: 0,
      next: setOf('new', 3),
      old: [setOf('old', 0)],
      expected: [],
    },
    {
      name: 'shrinks a new set that is too large',
      replicas: 3,
      surge: 1,
      unavailable: 0,
      next: setOf('new', 5),
      old: [],
      expected: ['new to 3'],
    },
  ])('$name', ({ expected, ...options }) => {
    expect(texts(planRollingUpdate(viewOf(options)))).toEqual(expected)
  })

  test('begins with as many as there is room for', () => {
    expect(newSetReplicas(viewOf({ replicas: 4, surge: 1, unavailable: 0, old: [setOf('old', 4)] }))).toBe(1)
    expect(newSetReplicas(viewOf({ replicas: 4, surge: 1, unavailable: 0, old: [] }))).toBe(4)
    expect(newSetReplicas(viewOf({ replicas: 4, surge: 0, unavailable: 1, old: [setOf('old', 4)] }))).toBe(0)
  })
})

describe('recreation', () => {
  test.each([
    { name: 'ends the old ones', next: setOf('new', 0), old: [setOf('old', 3)], remain: true, expected: ['old to 0'] },
    { name: 'waits for the last of them', next: setOf('new', 0), old: [setOf('old', 0)], remain: true, expected: [] },
    {
      name: 'then starts the new ones',
      next: setOf('new', 0),
      old: [setOf('old', 0)],
      remain: false,
      expected: ['new to 3'],
    },
  ])('$name', ({ next, old, remain, expected }) => {
    const view = viewOf({ replicas: 3, surge: 0, unavailable: 0, next, old, type: 'Recreate' })
    expect(texts(planRecreate(view, remain))).toEqual(expected)
  })
})
