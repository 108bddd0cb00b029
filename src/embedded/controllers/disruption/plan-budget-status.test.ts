import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { DisruptionBudget } from '../../server/eviction/disruption-budget.ts'
import { planBudgetStatus } from './plan-budget-status.ts'

const nowMs = Date.UTC(2026, 0, 1)
const pod = (name: string, ready = true, extra: object = {}) => ({
  metadata: storedMeta({ name, ...extra }),
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const three = [pod('a'), pod('b'), pod('c')]
const budget = (spec: DisruptionBudget['spec'], status?: DisruptionBudget['status']): DisruptionBudget => ({
  metadata: storedMeta({ generation: 4 }),
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
})
const scaleOf = () => ({ uid: 'web', replicas: 3 })

describe('planBudgetStatus', () => {
  test.each([
    { name: 'minAvailable 1 of 3', spec: { minAvailable: 1 }, pods: three, expected: [3, 1, 3, 2] },
    { name: 'minAvailable 3 of 3', spec: { minAvailable: 3 }, pods: three, expected: [3, 3, 3, 0] },
    { name: 'minAvailable 5 of 3', spec: { minAvailable: 5 }, pods: three, expected: [3, 5, 3, 0] },
    { name: 'minAvailable 50 % of 3 rounds up', spec: { minAvailable: '50%' }, pods: three, expected: [3, 2, 3, 1] },
    { name: 'maxUnavailable 0', spec: { maxUnavailable: 0 }, pods: three, expected: [3, 3, 3, 0] },
    {
      name: 'maxUnavailable 10 % of 3 rounds up',
      spec: { maxUnavailable: '10%' },
      pods: three,
      expected: [3, 2, 3, 1],
    },
    { name: 'maxUnavailable 5 of 3', spec: { maxUnavailable: 5 }, pods: three, expected: [3, 0, 3, 3] },
    {
      name: 'an unready pod is not healthy',
      spec: { maxUnavailable: 1 },
      pods: [pod('a'), pod('b', false), pod('c')],
      expected: [2, 2, 3, 0],
    },
    {
      name: 'a terminating pod is not healthy',
      spec: { minAvailable: 1 },
      pods: [pod('a'), pod('b', true, { deletionTimestamp: 'x' })],
      expected: [1, 1, 2, 0],
    },
    {
      name: 'a pod more than wanted, as in a surge',
      spec: { maxUnavailable: 0 },
      pods: [...three, pod('d')],
      expected: [4, 3, 3, 1],
    },
    { name: 'no pods: nothing is allowed', spec: { minAvailable: 0 }, pods: [], expected: [0, 0, 0, 0] },
    { name: 'neither number', spec: {}, pods: three, expected: [3, 0, 0, 0] },
  ])('$name: healthy, desired, expected, allowed are $expected', ({ spec, pods, expected }) => {
    const { status } = planBudgetStatus({ budget: budget(spec), pods, scaleOf }, nowMs)
    expect([status.currentHealthy, status.desiredHealthy, status.expectedPods, status.disruptionsAllowed]).toEqual(
      expected,
    )
    expect(status.observedGeneration).toBe(4)
  })

  test('pods without a controller count for nothing in a percentage', () => {
    const { status } = planBudgetStatus(
      { budget: budget({ maxUnavailable: '50%' }), pods: three, scaleOf: () => undefined },
      nowMs,
    )
    expect(status).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 })
  })

  test('a controller that nobody knows fails the sync, and keeps the numbers of before', () => {
    const before = { currentHealthy: 7, disruptionsAllowed: 3, observedGeneration: 2 }
    const { status } = planBudgetStatus(
      { budget: budget({ maxUnavailable: 1 }, before), pods: three, scaleOf: () => 'unknown' },
      nowMs,
    )
    expect(status).toMatchObject({
      currentHealthy: 7,
      disruptionsAllowed: 0,
      observedGeneration: 2,
      conditions: [{ reason: 'SyncFailed', message: 'found no controllers for pod "a"' }],
    })
  })

  test.each([
    { name: 'an evicted pod is not healthy for two minutes', sinceMs: nowMs - 119_000, healthy: 2, noted: true },
    { name: 'after that it is again, and forgotten', sinceMs: nowMs - 121_000, healthy: 3, noted: false },
  ])('$name', ({ sinceMs, healthy, noted }) => {
    const disruptedPods = { a: new Date(sinceMs).toISOString() }
    const plan = planBudgetStatus(
      { budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: three, scaleOf },
      nowMs,
    )
    expect(plan.status.currentHealthy).toBe(healthy)
    expect('disruptedPods' in plan.status).toBe(noted)
    expect(plan.againAtMs).toBe(noted ? sinceMs + 120_000 : undefined)
  })
})
