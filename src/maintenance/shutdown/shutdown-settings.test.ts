import { describe, expect, test } from 'vitest'
import { defaultDrainPlan, drainPlanLengthMax, drainPlanSchema } from '../../api/maintenance/drain-plan.ts'
import { validateSchema } from '../../api/schema/validate-schema.ts'
import { defaultShutdownSettings, planOfPriorities, prioritiesMax } from './shutdown-settings.ts'

const all = 2_147_483_647
const defaults = [1_000_000_000, 2_000_000_000, 2_000_001_000, all]

/** Which entry takes a pod of this priority. */
const entryFor = (priorities: readonly number[], podPriority: number) =>
  planOfPriorities(priorities).find((entry) => entry.podType === 'Default' && entry.podPriority >= podPriority)
    ?.podPriority

describe('the priorities of a kubelet as a plan', () => {
  test.each([
    { name: 'none: the default plan', priorities: [], expected: [] },
    { name: 'one group has all pods', priorities: [0], expected: defaults },
    { name: 'two groups part below the second', priorities: [0, 1_000], expected: [999, ...defaults] },
    {
      name: 'as the documentation of Kubernetes has it',
      priorities: [0, 1_000, 10_000, 100_000],
      expected: [999, 9_999, 99_999, ...defaults],
    },
    {
      name: 'critical pods',
      priorities: [0, 2_000_000_000],
      expected: [1_000_000_000, 1_999_999_999, ...defaults.slice(1)],
    },
    { name: 'negative ones', priorities: [-1_000, 0], expected: [-1, ...defaults] },
    {
      name: 'one that is a default entry already',
      priorities: [0, 1_000_000_001],
      expected: defaults,
    },
    { name: 'in any order', priorities: [1_000, 0], expected: [999, ...defaults] },
  ])('$name', ({ priorities, expected }) => {
    const plan = planOfPriorities(priorities)
    for (const podType of ['Default', 'DaemonSet', 'Static'] as const) {
      const own = plan.filter((entry) => entry.podType === podType).map(({ podPriority }) => podPriority)
      expect(own).toEqual(expected)
    }
    expect(validateSchema(drainPlanSchema, plan)).toEqual([])
  })

  test.each([
    { podPriority: -5, entry: 999 },
    { podPriority: 0, entry: 999 },
    { podPriority: 999, entry: 999 },
    { podPriority: 1_000, entry: 9_999 },
    { podPriority: 9_999, entry: 9_999 },
    { podPriority: 10_000, entry: 1_000_000_000 },
  ])('a pod of priority $podPriority leaves with its group', ({ podPriority, entry }) => {
    expect(entryFor([0, 1_000, 10_000], podPriority)).toBe(entry)
  })

  test('as many as are allowed fit into a plan', () => {
    const priorities = Array.from({ length: prioritiesMax }, (_, at) => at * 10)
    const plan = planOfPriorities(priorities)
    expect(plan.length).toBeLessThanOrEqual(drainPlanLengthMax)
    expect(validateSchema(drainPlanSchema, plan)).toEqual([])
    expect(planOfPriorities([...priorities, 10_000]).length).toBeGreaterThan(drainPlanLengthMax)
  })
})

test('by default all follow the default plan, and an admin completes', () => {
  expect(defaultShutdownSettings).toEqual({ completeAfterReboot: false, drainPlan: [] })
  expect(planOfPriorities([0])).toEqual(defaultDrainPlan)
})
