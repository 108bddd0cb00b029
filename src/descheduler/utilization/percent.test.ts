import { expect, test } from 'vitest'
import { nodeView } from '../../../test/build/descheduler-view.ts'
import { capacityOf, countOf, percentagesOf } from './percent.ts'

test.each([
  { name: 'a tenth', used: { cpu: 100 }, room: { cpu: 1_000 }, expected: { cpu: 10 } },
  { name: 'nothing of a resource of which there is none', used: { cpu: 100 }, room: { cpu: 0 }, expected: { cpu: 0 } },
  {
    name: 'no share of a resource that the node knows nothing of',
    used: { gpu: 100 },
    room: { cpu: 100 },
    expected: {},
  },
  {
    name: 'the share of those resources that the node knows',
    used: { gpu: 100, cpu: 200 },
    room: { cpu: 1_000, memory: 1_000 },
    expected: { cpu: 20 },
  },
  { name: 'no share of what is not counted', used: {}, room: { cpu: 1_000 }, expected: {} },
  { name: 'more than all, if more is used', used: { cpu: 1_500 }, room: { cpu: 1_000 }, expected: { cpu: 150 } },
  { name: 'thousandths of a cpu as they are', used: { cpu: 1 }, room: { cpu: 1_000 }, expected: { cpu: 0.1 } },
  {
    name: 'other fractions rounded up to whole units',
    used: { memory: 1_001, pods: 1_000 },
    room: { memory: 7_001, pods: 10_000 },
    expected: { memory: 25, pods: 10 },
  },
  {
    name: 'floats without rounding',
    used: { cpu: 1_220, pods: 11_000 },
    room: { cpu: 1_930, pods: 29_000 },
    expected: { cpu: (1_220 / 1_930) * 100, pods: (11 / 29) * 100 },
  },
  {
    name: 'a measured percent as itself',
    used: { MetricResource: 50_000 },
    room: {},
    expected: { MetricResource: 50 },
  },
  {
    name: 'a hair more than the percent, where floats cannot tell it',
    used: { MetricResource: 56_000 },
    room: {},
    expected: { MetricResource: 56.000_000_000_000_01 },
  },
])('percent: $name', ({ used, room, expected }) => {
  const node = { ...nodeView({ name: 'n1' }), allocatable: amounts(room), capacity: amounts(room) }
  expect(Object.fromEntries(percentagesOf(node, amounts(used)))).toEqual(expected)
})

test.each([
  { name: 'what is allocatable', allocatable: { cpu: 1_930 }, expected: 1_930 },
  { name: 'what it has, if nothing is said to be allocatable', allocatable: {}, expected: 2_000 },
  { name: 'nothing, if another resource alone is allocatable', allocatable: { pods: 1_000 }, expected: undefined },
])('the capacity of a node is $name', ({ allocatable, expected }) => {
  const node = { ...nodeView({ name: 'n1' }), allocatable: amounts(allocatable), capacity: amounts({ cpu: 2_000 }) }
  expect(capacityOf(node, 'cpu')).toBe(expected)
})

test('cpu counts in thousandths and all else in whole units', () => {
  expect([countOf('cpu', 1_001), countOf('memory', 1_001), countOf('pods', 2_000)]).toEqual([1_001, 2, 2])
})

function amounts(of: Readonly<Record<string, number>>) {
  return new Map(Object.entries(of))
}
