import { expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { wokenBy, type Waiter } from './wake-by-budget.ts'

const waiter = (key: string, sinceMs: number, extra: Partial<Waiter> = {}): Waiter => ({
  key,
  sinceMs,
  budget: 'web',
  podIsReady: true,
  ...extra,
})
const waiters = [
  waiter('third', 3),
  waiter('first', 1),
  waiter('second', 2),
  waiter('unready', 4, { podIsReady: false }),
  waiter('of another', 0, { budget: 'api' }),
  waiter('of any', 0, { budget: undefined }),
]

interface Numbers {
  readonly allowed: number
  readonly healthy?: number
  readonly generation?: number
  readonly observed?: number
  readonly policy?: 'AlwaysAllow'
}

function budget({ allowed, healthy = 2, generation = 1, observed = generation, policy }: Numbers): PodDisruptionBudget {
  return {
    metadata: storedMeta({ namespace: 'shop', name: 'web', generation }),
    spec: policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy },
    status: { disruptionsAllowed: allowed, currentHealthy: healthy, desiredHealthy: 3, observedGeneration: observed },
  }
}
const from = (previous: Numbers, next: Numbers): Change<PodDisruptionBudget> => ({
  kind: 'updated',
  previous: budget(previous),
  object: budget(next),
})

test.each<{ name: string; change: Change<PodDisruptionBudget>; expected: readonly string[] }>([
  { name: 'nobody while there is no room', change: from({ allowed: 0 }, { allowed: 0 }), expected: [] },
  {
    name: 'as many as there is room for, who waited longest first',
    change: from({ allowed: 0 }, { allowed: 2 }),
    expected: ['unready', 'first', 'second'],
  },
  {
    name: 'everybody whose budget is gone, and who does not know theirs',
    change: { kind: 'deleted', object: budget({ allowed: 0 }) },
    expected: ['of any', 'first', 'second', 'third', 'unready'],
  },
  {
    name: 'nobody while a change of the budget is not counted yet',
    change: from({ allowed: 0 }, { allowed: 0, generation: 2, observed: 1 }),
    expected: [],
  },
  {
    name: 'unready pods and those of several budgets, when a changed budget has been counted',
    change: from({ allowed: 0, generation: 2, observed: 1 }, { allowed: 0, generation: 2, policy: 'AlwaysAllow' }),
    expected: ['of any', 'unready'],
  },
  {
    name: 'unready pods when the ready ones are enough again',
    change: from({ allowed: 0 }, { allowed: 0, healthy: 3 }),
    expected: ['unready'],
  },
  {
    name: 'as many as there is room for, when the budget is seen for the first time',
    change: { kind: 'added', object: budget({ allowed: 1 }) },
    expected: ['of any', 'unready', 'first'],
  },
])('wakes $name', ({ change, expected }) => {
  expect(wokenBy(change, waiters)).toEqual(expected)
})
