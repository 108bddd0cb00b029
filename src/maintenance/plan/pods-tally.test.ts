import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { PlannedPod } from './pods.ts'
import { countTargeted, tallyNode } from './pods.ts'
import { canonical } from './targets.ts'

const pod = (podPriority: number, choices: Partial<PlannedPod> = {}): PlannedPod => ({
  pod: stored({ metadata: { namespace: 'shop', labels: { app: 'web' } } }),
  podType: 'Default',
  podPriority,
  isEvacuating: false,
  ...choices,
})
const everything = [
  { podPriority: 100, podType: 'Default' as const },
  { podPriority: 100, podType: 'DaemonSet' as const },
]
const maintenances = [
  { name: 'a', createdMs: 1, plan: [{ podPriority: 5, podType: 'Default' as const }, ...everything] },
  {
    name: 'b',
    createdMs: 2,
    plan: [
      { podPriority: 50, podType: 'Default' as const, podSelector: { matchLabels: { app: 'web' } } },
      ...everything,
    ],
  },
]
const tallied = (leaving: readonly PlannedPod[]) =>
  tallyNode({
    name: 'one',
    maintenances,
    reached: canonical([{ podPriority: 5, podType: 'Default' }]),
    pods: { leaving, staying: {} },
  })

test.each([
  { name: 'no pods: past every plan', pods: [], lowest: [3, 3], targeted: 0 },
  { name: 'the lowest entry of each plan that has a pod', pods: [pod(50), pod(3)], lowest: [0, 0], targeted: 1 },
  { name: 'entries without pods are passed', pods: [pod(50)], lowest: [1, 0], targeted: 0 },
  {
    name: 'selectors are looked at',
    pods: [pod(50, { pod: stored({ metadata: { namespace: 'shop' } }) })],
    lowest: [1, 1],
    targeted: 0,
  },
  { name: 'types too', pods: [pod(3, { podType: 'DaemonSet' })], lowest: [2, 2], targeted: 0 },
])('$name', ({ pods, lowest, targeted }) => {
  expect(tallied(pods)).toMatchObject({ lowest, targeted })
})

test('pods are pending until they are evacuated', () => {
  expect(tallied([pod(1), pod(2, { isEvacuating: true }), pod(90)])).toMatchObject({ pending: 2, evacuating: 1 })
})

test('how many pods are within targets', () => {
  expect(countTargeted([pod(1), pod(5), pod(6)], [{ podPriority: 5, podType: 'Default' }])).toBe(2)
})
