import { expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { mayGo, wokenBy, type Candidate } from './wake-by-budget.ts'

const waiter = (key: string, sinceMs: number, extra: Partial<Candidate> = {}): Candidate => ({
  key,
  sinceMs,
  budget: 'web',
  wasReady: true,
  isReady: true,
  labels: { app: 'web' },
  ...extra,
})
const waiters = [
  waiter('third', 3),
  waiter('first', 1),
  waiter('second', 2),
  waiter('unready', 4, { wasReady: false, isReady: false }),
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
const another: PodDisruptionBudget = { ...budget({ allowed: 0 }), metadata: storedMeta({ name: 'api' }) }
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

test('wakes a pod that has turned unready since its refusal, where unready pods may go already', () => {
  const change = from({ allowed: 0, policy: 'AlwaysAllow' }, { allowed: 0, policy: 'AlwaysAllow' })
  const turned = waiter('turned', 1, { isReady: false })
  const wasUnready = waiter('was unready', 1, { wasReady: false, isReady: false })
  expect(wokenBy(change, [turned, wasUnready])).toEqual(['turned'])
})

test.each<{ name: string; budgets: readonly PodDisruptionBudget[]; expected: readonly string[] }>([
  { name: 'nobody without room', budgets: [budget({ allowed: 0 }), another], expected: [] },
  { name: 'as many as there is room for', budgets: [budget({ allowed: 1 }), another], expected: ['unready', 'first'] },
  {
    name: 'nobody while the budget is not counted',
    budgets: [budget({ allowed: 1, generation: 2, observed: 1 }), another],
    expected: [],
  },
  {
    name: 'unready pods whose budget always lets them go',
    budgets: [budget({ allowed: 0, policy: 'AlwaysAllow' }), another],
    expected: ['unready'],
  },
  { name: 'everybody whose budget is gone', budgets: [another], expected: ['third', 'first', 'second', 'unready'] },
])('as the budgets stand, $name may go', ({ budgets, expected }) => {
  expect(
    mayGo(
      budgets,
      waiters.filter(({ budget: name }) => name !== undefined),
    ),
  ).toEqual(expected)
})

test.each([
  { name: 'two budgets still cover it', count: 2, expected: [] },
  { name: 'one is left', count: 1, expected: ['of any'] },
])('who was refused because of two budgets: $name', ({ count, expected }) => {
  const spec = { selector: { matchLabels: { app: 'web' } } }
  const named = (name: string) => ({ ...budget({ allowed: 0 }), metadata: storedMeta({ name }), spec })
  const all = [named('one'), named('two')]
  expect(mayGo(all.slice(0, count), [waiter('of any', 0, { budget: undefined })])).toEqual(expected)
})
