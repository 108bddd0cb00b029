import { describe, expect, test } from 'vitest'
import { nowMs, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { asListed, byAge, byPriority, inOrder, inOrderByBreaths, type Compare } from './orders.ts'

interface Row {
  readonly name: string
  readonly by: Compare
  /** In the order that is expected. */
  readonly pods: readonly Omit<PodChoices, 'name'>[]
}

const preferNoEviction = { preferNoEviction: true }

const rows: readonly Row[] = [
  {
    name: 'a pod without a priority comes before one with a negative priority',
    by: byPriority,
    pods: [{}, { priority: -1 }],
  },
  {
    name: 'lower priorities come first',
    by: byPriority,
    pods: [{ priority: -5 }, { priority: 0 }, { priority: 2_000_000_000 }],
  },
  {
    name: 'among equal priorities BestEffort comes first and Guaranteed last',
    by: byPriority,
    pods: [
      { priority: 5, qosClass: 'BestEffort' },
      { priority: 5, qosClass: 'Burstable' },
      { priority: 5, qosClass: 'Guaranteed' },
    ],
  },
  {
    name: 'priority rules over quality of service',
    by: byPriority,
    pods: [
      { priority: 1, qosClass: 'Guaranteed' },
      { priority: 2, qosClass: 'BestEffort' },
    ],
  },
  { name: 'among equals who would rather stay comes last', by: byPriority, pods: [{}, { marks: preferNoEviction }] },
  {
    name: 'quality of service rules over the wish to stay',
    by: byPriority,
    pods: [{ marks: preferNoEviction, qosClass: 'BestEffort' }, { qosClass: 'Burstable' }],
  },
  { name: 'older pods come first', by: byAge, pods: [{ createdMs: nowMs - 2_000 }, { createdMs: nowMs - 1_000 }] },
  {
    name: 'equals go by namespace and name',
    by: asListed,
    pods: [{ namespace: 'a' }, { namespace: 'b' }, { namespace: 'b' }],
  },
]

describe('orders', () => {
  test.each(rows)('$name', ({ by, pods: choices }) => {
    const pods = choices.map((choice, index) => podView({ name: `p${index}`, ...choice }))
    expect(inOrder({ rankOf: () => 1 }, pods.toReversed(), by)).toEqual(pods)
  })
})

test('who is leaving comes first and who is to be left alone last, whatever the order of the plugin', () => {
  const pods = [
    podView({ name: 'left-alone', priority: 0 }),
    podView({ name: 'usual-b', priority: 1 }),
    podView({ name: 'usual-a', priority: 1 }),
    podView({ name: 'leaving', priority: 100 }),
  ]
  const rankOf = ({ name }: { name: string }) => (name === 'leaving' ? 0 : name === 'left-alone' ? 2 : 1)
  expect(inOrder({ rankOf }, pods, byPriority).map(({ name }) => name)).toEqual([
    'leaving',
    'usual-a',
    'usual-b',
    'left-alone',
  ])
})

test('no pods are in order', () => {
  expect(inOrder({ rankOf: () => 1 }, [], byAge)).toEqual([])
})

test('with breaths the order is the same', () => {
  const pods = Array.from({ length: 9_000 }, (_, index) =>
    podView({ name: `pod-${(index * 7_919) % 9_000}`, createdMs: nowMs - (index % 50) * 1_000 }),
  )
  const world = { rankOf: ({ name }: { readonly name: string }) => name.length % 3 }
  const steps = inOrderByBreaths(world, pods, byAge)
  let next = steps.next()
  while (next.done !== true) next = steps.next()
  expect(next.value).toEqual(inOrder(world, pods, byAge))
})
