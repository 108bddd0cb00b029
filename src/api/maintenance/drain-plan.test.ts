import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  byDrainOrder,
  defaultDrainPlan,
  drainPlanSchema,
  sameDrainPlanEntry,
  withDefaultDrainPlan,
  type DrainPlanEntry,
} from './drain-plan.ts'
import { podTypes } from './pod-type.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const entry = fc.record(
  {
    podPriority: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(1_000_000_000, 5_000)),
    podType: fc.constantFrom(...podTypes),
    podSelector: fc.constantFrom({ matchLabels: { app: 'cart' } }, { matchLabels: { app: 'shop' } }),
  },
  { requiredKeys: ['podPriority', 'podType'] },
)
const plan = fc
  .uniqueArray(entry, { maxLength: 52, comparator: sameDrainPlanEntry })
  .map((entries) => entries.toSorted(byDrainOrder))

const postgres = { matchLabels: { app: 'postgres' } }

describe('withDefaultDrainPlan', () => {
  test('an empty plan becomes the twelve default entries', () => {
    expect(withDefaultDrainPlan()).toEqual(defaultDrainPlan)
    expect(defaultDrainPlan.map((target) => `${target.podType} ${target.podPriority}`)).toEqual([
      'Default 1000000000',
      'Default 2000000000',
      'Default 2000001000',
      'Default 2147483647',
      'DaemonSet 1000000000',
      'DaemonSet 2000000000',
      'DaemonSet 2000001000',
      'DaemonSet 2147483647',
      'Static 1000000000',
      'Static 2000000000',
      'Static 2000001000',
      'Static 2147483647',
    ])
  })

  test('entries given come in between, and a default that was given is not repeated', () => {
    const given: DrainPlanEntry[] = [
      { podPriority: 5_000, podType: 'Default' },
      { podPriority: 1_000_000_000, podType: 'Default', podSelector: postgres },
      { podPriority: 1_000_000_000, podType: 'Default' },
      { podPriority: 3_000, podType: 'DaemonSet' },
    ]
    const full = withDefaultDrainPlan(given)
    expect(full).toHaveLength(12 + 3)
    expect(full.slice(0, 4)).toEqual([given[0], given[1], given[2], { podPriority: 2_000_000_000, podType: 'Default' }])
    expect(full[6]).toEqual(given[3])
  })

  test('is valid for every valid plan, keeps its entries in order, and doing it again changes nothing', () => {
    fc.assert(
      fc.property(plan, (given) => {
        const full = withDefaultDrainPlan(given)
        expect(validateSchema(drainPlanSchema, full)).toEqual([])
        expect(full.filter((target) => given.some((other) => sameDrainPlanEntry(target, other)))).toEqual(given)
        expect(withDefaultDrainPlan(full)).toEqual(full)
      }),
    )
  })
})

describe('the order of a plan', () => {
  test.each<{ name: string; entries: DrainPlanEntry[] }>([
    {
      name: 'Static before DaemonSet',
      entries: [
        { podPriority: 1, podType: 'Static' },
        { podPriority: 1, podType: 'DaemonSet' },
      ],
    },
    {
      name: 'a higher priority before a lower one',
      entries: [
        { podPriority: 2, podType: 'Default' },
        { podPriority: 1, podType: 'Default' },
      ],
    },
    {
      name: 'no selector before a selector',
      entries: [
        { podPriority: 1, podType: 'Default' },
        { podPriority: 1, podType: 'Default', podSelector: postgres },
      ],
    },
  ])('refuses $name', ({ entries }) => {
    expect(validateSchema(drainPlanSchema, entries)).toHaveLength(1)
    expect(validateSchema(drainPlanSchema, entries.toReversed())).toEqual([])
  })

  test('the rank in the CEL rule grows exactly as the comparator does', () => {
    const rank = ({ podType, podPriority, podSelector }: DrainPlanEntry) =>
      podTypes.indexOf(podType) * 10_000_000_000 + podPriority * 2 + (podSelector ? 0 : 1)
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        expect(Math.sign(byDrainOrder(a, b))).toBe(Math.sign(rank(a) - rank(b)))
      }),
    )
  })

  test('refuses an entry that is there twice', () => {
    const twice: DrainPlanEntry[] = [
      { podPriority: 1, podType: 'Default', podSelector: postgres },
      { podPriority: 1, podType: 'Default', podSelector: structuredClone(postgres) },
    ]
    expect(validateSchema(drainPlanSchema, twice)).toMatchObject([{ allowed: 'no entry may be there twice' }])
  })
})
