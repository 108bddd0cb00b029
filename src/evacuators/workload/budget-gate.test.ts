import { expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { coveringPods, evictWithinBudgets } from './budget-gate.ts'

const nowMs = 1_000_000
const pod = stored<Pod>({
  metadata: { namespace: 'shop', name: 'a', uid: 'u', labels: { app: 'web' } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
})
const unready: Pod = { ...pod, status: { conditions: [{ type: 'Ready', status: 'False' }] } }
const budget = (name: string, status?: PodDisruptionBudget['status']): PodDisruptionBudget => ({
  metadata: storedMeta({ namespace: 'shop', name }),
  ...(status === undefined ? {} : { status }),
})
const full = budget('web', { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 })

test.each([
  { name: 'without a budget it goes', budgets: [], since: 0, asked: undefined, expected: { kind: 'evict' } },
  {
    name: 'with room in every budget it goes',
    budgets: [budget('a', { disruptionsAllowed: 1 }), budget('b', { disruptionsAllowed: 2 })],
    since: 0,
    asked: undefined,
    expected: { kind: 'evict' },
  },
  {
    name: 'just after the replacement came, the budget is about to count',
    budgets: [full],
    since: 2_000,
    asked: undefined,
    expected: { kind: 'working', againInMs: 3_000 },
  },
  {
    name: 'later the budget is the reason, and its next change wakes',
    budgets: [budget('a', { disruptionsAllowed: 1 }), full],
    since: 10_000,
    asked: undefined,
    expected: { kind: 'waiting', because: { kind: 'budget', budget: 'web', healthy: 2, needed: 2 }, againInMs: 20_000 },
  },
  {
    name: 'a budget that was never counted has no room',
    budgets: [budget('web')],
    since: 10_000,
    asked: undefined,
    expected: { kind: 'waiting' },
  },
  {
    name: 'after half a minute it is tried all the same',
    budgets: [full],
    since: 30_000,
    asked: undefined,
    expected: { kind: 'evict' },
  },
  {
    name: 'but not twice in half a minute',
    budgets: [full],
    since: 300_000,
    asked: 29_000,
    expected: { kind: 'waiting', againInMs: 1_000 },
  },
  { name: 'again after that', budgets: [full], since: 300_000, asked: 30_000, expected: { kind: 'evict' } },
])('$name', ({ budgets, since, asked, expected }) => {
  const evictionAskedMs = asked === undefined ? undefined : nowMs - asked
  expect(evictWithinBudgets({ pod, budgets, sinceMs: nowMs - since, evictionAskedMs }, nowMs)).toMatchObject(expected)
})

test.each([
  {
    name: 'a budget with too few healthy pods keeps an unready pod, and says so',
    spec: {},
    expected: 'IfHealthyBudget',
  },
  {
    name: 'under AlwaysAllow it goes at once',
    spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' as const },
    expected: undefined,
  },
])('$name', ({ spec, expected }) => {
  const budgets = [{ ...budget('web', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 }), spec }]
  const view = { pod: unready, budgets, sinceMs: nowMs - 10_000, evictionAskedMs: undefined }
  expect(evictWithinBudgets(view, nowMs)).toMatchObject(
    expected === undefined ? { kind: 'evict' } : { because: { kind: 'budget', unhealthyPodEvictionPolicy: expected } },
  )
})

test('a budget covers what its selector matches, and without one nothing', () => {
  const selecting = (app: string) => ({ ...full, spec: { selector: { matchLabels: { app } } } })
  expect(coveringPods(pod.metadata.labels)(selecting('web'))).toBe(true)
  expect(coveringPods(pod.metadata.labels)(selecting('api'))).toBe(false)
  expect(coveringPods(pod.metadata.labels)({ ...full, spec: {} })).toBe(false)
})
