import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bordersAround, isAbove } from './thresholds.ts'

const percent = (of: Readonly<Record<string, number>>) => new Map(Object.entries(of))

test.each([
  {
    name: 'lie on both sides of the mean',
    nodes: [{ cpu: 10 }, { cpu: 48 }, { cpu: 52 }, { cpu: 50 }, { cpu: 90 }],
    distances: { under: { cpu: 5 }, over: { cpu: 5 } },
    expected: { under: { cpu: 45 }, over: { cpu: 55 } },
  },
  {
    name: 'are the mean if there is no distance',
    nodes: [{ cpu: 10 }, { cpu: 20 }],
    distances: { under: { cpu: 0 }, over: { cpu: 0 } },
    expected: { under: { cpu: 15 }, over: { cpu: 15 } },
  },
  {
    name: 'may lie at different distances',
    nodes: [{ cpu: 40 }, { cpu: 60 }],
    distances: { under: { cpu: 10 }, over: { cpu: 30 } },
    expected: { under: { cpu: 40 }, over: { cpu: 80 } },
  },
  {
    name: 'never lie below 0 or above 100',
    nodes: [{ cpu: 2, memory: 98 }],
    distances: { under: { cpu: 5, memory: 5 }, over: { cpu: 5, memory: 5 } },
    expected: { under: { cpu: 0, memory: 93 }, over: { cpu: 7, memory: 100 } },
  },
  {
    name: 'stay at 100 if nodes use more than they have',
    nodes: [{ cpu: 120 }, { cpu: 140 }],
    distances: { under: { cpu: 5 }, over: { cpu: 5 } },
    expected: { under: { cpu: 100 }, over: { cpu: 100 } },
  },
  {
    name: 'follow the mean of those nodes alone that know the resource',
    nodes: [{ pods: 10, gpu: 12.5 }, { pods: 20, gpu: 87.5 }, { pods: 30 }],
    distances: { under: { pods: 5, gpu: 10 }, over: { pods: 5, gpu: 10 } },
    expected: { under: { pods: 15, gpu: 40 }, over: { pods: 25, gpu: 60 } },
  },
  {
    name: 'are left out for a resource that no node knows, and for one without threshold',
    nodes: [{ cpu: 10, memory: 50 }],
    distances: { under: { cpu: 5, gpu: 5 }, over: { cpu: 5, gpu: 5 } },
    expected: { under: { cpu: 5 }, over: { cpu: 15 } },
  },
])('borders by deviation $name', ({ nodes, distances, expected }) => {
  expect(bordersAround(nodes.map(percent), distances)).toEqual(expected)
})

test.each([
  { name: 'of which one resource is above', used: { cpu: 10, memory: 31 }, expected: true },
  { name: 'that is at the threshold', used: { cpu: 30, memory: 30 }, expected: false },
  { name: 'that is above by a hair', used: { cpu: 30.000_000_1, memory: 0 }, expected: true },
  { name: 'that knows nothing of the resources', used: {}, expected: false },
  { name: 'that is full of something without threshold', used: { pods: 100 }, expected: false },
])('a node $name: above is $expected', ({ used, expected }) => {
  expect(isAbove(percent(used), { cpu: 30, memory: 30 })).toBe(expected)
})

test('by deviation, nodes that are all alike are neither under nor above, whatever the distance', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 9 }),
      (used, distance, count) => {
        const nodes = Array.from({ length: count }, () => percent({ cpu: used }))
        const { over } = bordersAround(nodes, { under: { cpu: distance }, over: { cpu: distance } })
        return nodes.every((node) => !isAbove(node, over))
      },
    ),
  )
})
