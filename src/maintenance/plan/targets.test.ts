import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { podTypes, type PodType } from '../../api/maintenance/pod-type.ts'
import { drainTargetsMax } from '../../api/maintenance/maintenance-status.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { isTargeted, type PlannedPod } from './pods.ts'
import { canonical, covers, join, meet, noTargets, targetsOf, type Targets } from './targets.ts'

type Target = Targets[number]

const upTo = (podPriority: number, podType: PodType = 'Default', app?: string): Target => ({
  podPriority,
  podType,
  ...(app === undefined ? {} : { podSelector: { matchLabels: { app } } }),
})

describe('the targets of a plan', () => {
  const plan = [
    upTo(500, 'Default', 'mail'),
    upTo(1_000),
    upTo(2_000, 'Default', 'web'),
    upTo(3_000),
    upTo(10, 'DaemonSet'),
  ]
  test.each([
    { index: 0, expected: [upTo(500, 'Default', 'mail')] },
    { index: 1, expected: [upTo(1_000), upTo(1_000, 'Default', 'mail'), upTo(1_000, 'Default', 'web')] },
    { index: 2, expected: [upTo(1_000), upTo(1_000, 'Default', 'mail'), upTo(2_000, 'Default', 'web')] },
    { index: 3, expected: [upTo(3_000), upTo(3_000, 'Default', 'mail'), upTo(3_000, 'Default', 'web')] },
    {
      index: 4,
      expected: [upTo(3_000), upTo(3_000, 'Default', 'mail'), upTo(3_000, 'Default', 'web'), upTo(10, 'DaemonSet')],
    },
  ])('at entry $index', ({ index, expected }) => {
    expect(targetsOf(plan, index)).toEqual(expected)
  })
})

test.each([
  { name: 'the lower priority', one: [upTo(5)], other: [upTo(3)], expected: [upTo(3)] },
  { name: 'nothing of a type that one lacks', one: [upTo(5)], other: [upTo(3, 'Static')], expected: [] },
  {
    name: 'a selector under the other that has none',
    one: [upTo(5, 'Default', 'web')],
    other: [upTo(3)],
    expected: [upTo(3, 'Default', 'web')],
  },
  {
    name: 'nothing where no pod has both labels',
    one: [upTo(5, 'Default', 'web')],
    other: [upTo(3, 'Default', 'mail')],
    expected: [],
  },
])('the meet is $name', ({ one, other, expected }) => {
  expect(meet(canonical(one), canonical(other))).toEqual(expected)
  expect(meet(canonical(other), canonical(one))).toEqual(expected)
})

test('a combined selector is there only if it selects more than what is there anyway', () => {
  const tier = { podType: 'Default', podPriority: 9, podSelector: { matchLabels: { tier: 'front' } } } as const
  const both = { podSelector: { matchLabels: { app: 'web', tier: 'front' } } }
  expect(meet(canonical([upTo(9, 'Default', 'web')]), canonical([tier]))).toEqual([{ ...tier, ...both }])
  expect(
    meet(canonical([upTo(5), upTo(5, 'Default', 'web')]), canonical([upTo(5), { ...tier, podPriority: 5 }])),
  ).toEqual([upTo(5), upTo(5, 'Default', 'web'), { ...tier, podPriority: 5 }])
})

test('more targets than a node can hold: what was reached stays', () => {
  const many = canonical(Array.from({ length: drainTargetsMax }, (_, index) => upTo(1, 'Default', `app-${index}`)))
  const joined = join(many, canonical([upTo(1, 'Default', 'one-more'), upTo(7, 'Default', 'app-1')]))
  expect(joined).toHaveLength(drainTargetsMax)
  expect(joined).toContainEqual(upTo(7, 'Default', 'app-1'))
})

const targets = fc
  .array(
    fc.record({
      podPriority: fc.integer({ min: 0, max: 4 }),
      podType: fc.constantFrom(...podTypes),
      podSelector: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'), { minKeys: 1 }), {
        nil: undefined,
      }),
    }),
    { maxLength: 5 },
  )
  .map((list) =>
    canonical([
      ...new Map(
        list.map(({ podSelector, ...rest }) => [
          JSON.stringify([rest.podType, podSelector]),
          { ...rest, ...(podSelector === undefined ? {} : { podSelector: { matchLabels: podSelector } }) },
        ]),
      ).values(),
    ]),
  )

const labellings: Record<string, string>[] = [
  {},
  ...['x', 'y'].flatMap((a) => [{ a }, { b: a }, { a, b: 'x' }, { a, b: 'y' }]),
]
const everyPod: PlannedPod[] = podTypes.flatMap((podType) =>
  [0, 1, 2, 3, 4, 5].flatMap((podPriority) =>
    labellings.map((labels) => ({
      pod: stored<Pod>({ metadata: { namespace: 'shop', labels } }),
      podType,
      podPriority,
      isEvacuating: false,
    })),
  ),
)

describe('for any targets', () => {
  test('the meet targets the pods that both target, and the join those that either does', () => {
    fc.assert(
      fc.property(targets, targets, (one, other) => {
        const [both, either] = [meet(one, other), join(one, other)]
        for (const pod of everyPod) {
          const [inOne, inOther] = [isTargeted(pod, one), isTargeted(pod, other)]
          expect(isTargeted(pod, both)).toBe(inOne && inOther)
          expect(isTargeted(pod, either)).toBe(inOne || inOther)
        }
      }),
    )
  })

  test('what covers targets at least as much', () => {
    fc.assert(
      fc.property(targets, targets, (one, other) => {
        expect(covers(join(one, other), one)).toBe(true)
        expect(covers(one, noTargets)).toBe(true)
        if (!covers(one, other)) return
        for (const pod of everyPod) expect(isTargeted(pod, one) || !isTargeted(pod, other)).toBe(true)
      }),
    )
  })

  test('the order does not matter, and nothing changes by doing it twice', () => {
    fc.assert(
      fc.property(targets, targets, (one, other) => {
        expect(meet(one, other)).toBe(meet(other, one))
        expect(join(join(one, other), other)).toBe(join(one, other))
      }),
    )
  })
})
