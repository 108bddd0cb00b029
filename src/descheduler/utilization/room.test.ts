import { expect, test } from 'vitest'
import { nodeView } from '../../../test/build/descheduler-view.ts'
import { cappedCapacityOf, hasRoom, isOverfull, roomOn, subtract } from './room.ts'

const amounts = (of: Readonly<Record<string, number>>) => new Map(Object.entries(of))
const node = nodeView({ name: 'n1', allocatable: { cpu: '3999m', memory: 3_001, pods: 9 } })

test.each([
  { name: 'cpu in thousandths, cut off', resource: 'cpu', threshold: 50, expected: 1_999 },
  { name: 'pods in whole ones, cut off', resource: 'pods', threshold: 50, expected: 4_000 },
  { name: 'memory in whole bytes, cut off', resource: 'memory', threshold: 50, expected: 1_500_000 },
  { name: 'everything at 100 percent', resource: 'memory', threshold: 100, expected: 3_001_000 },
  { name: 'nothing at 0 percent', resource: 'memory', threshold: 0, expected: 0 },
  { name: 'nothing of a resource that it does not know', resource: 'gpu', threshold: 50, expected: 0 },
  { name: 'one less where floats fall short of a whole number', resource: 'hundred', threshold: 29, expected: 28_000 },
])('up to a threshold a node takes $name', ({ resource, threshold, expected }) => {
  const known = { ...node, allocatable: new Map([...node.allocatable, ['hundred', 100_000]]) }
  // 29 × 0.01 × 100 is 28.999999999999996.
  expect(cappedCapacityOf(known, { [resource]: threshold }, resource)).toBe(expected)
})

test('without a threshold a node takes what it has, and a resource may be named like a property of objects', () => {
  expect(cappedCapacityOf(node, {}, 'cpu')).toBe(3_999)
  const odd = { ...node, allocatable: amounts({ constructor: 5_000 }) }
  expect(cappedCapacityOf(odd, {}, 'constructor')).toBe(5_000)
})

test('the room of several nodes is added up, and a node that is too full takes away from it', () => {
  const nodes = [
    { node, used: amounts({ cpu: 999, pods: 1_000 }) },
    { node, used: amounts({ cpu: 0, pods: 9_000 }) },
  ]
  const room = roomOn(nodes, { cpu: 50, pods: 50 }, ['cpu', 'pods', 'memory'])
  expect(Object.fromEntries(room)).toEqual({ cpu: 2_999, pods: -2_000, memory: 6_002_000 })
})

test.each([
  { name: 'some of everything is left', room: { cpu: 1, pods: 1_000 }, expected: true },
  { name: 'nothing of one resource is left', room: { cpu: 1, pods: 0 }, expected: false },
  { name: 'less than nothing is left', room: { cpu: -1 }, expected: false },
])('there is room: $expected, if $name', ({ room, expected }) => {
  expect(hasRoom(amounts(room))).toBe(expected)
})

test.each([
  { name: 'of one resource', used: { cpu: 2_000, pods: 1_000 }, expected: true },
  { name: 'of none', used: { cpu: 1_999, pods: 4_000 }, expected: false },
  { name: 'of a resource that it does not know', used: { gpu: 1_000 }, expected: true },
  { name: 'of a resource without threshold, beyond all that it has', used: { memory: 3_001_001 }, expected: true },
])('a node with too much $name: overfull is $expected', ({ used, expected }) => {
  expect(isOverfull({ node, used: amounts(used) }, { cpu: 50, pods: 50 })).toBe(expected)
})

test('a pod that leaves takes its usage and one place from the source and from the room', () => {
  const source = amounts({ cpu: 500, memory: 9_000, pods: 3_000 })
  const room = amounts({ cpu: 100, memory: 5_000, pods: 1_000 })
  subtract(amounts({ cpu: 400, gpu: 1_000 }), source, room)
  expect(Object.fromEntries(source)).toEqual({ cpu: 100, memory: 9_000, pods: 2_000 })
  expect(Object.fromEntries(room)).toEqual({ cpu: -300, memory: 5_000, pods: 0 })
})

test.each([
  { name: 'what is left of a thousandth counts', cpu: 2_501, used: [500.2], left: 2_000.8 },
  { name: 'floats leave nothing where nothing is left', cpu: 0.8, used: [0.1, 0.7], left: 0 },
  { name: 'a billionth counts', cpu: 1, used: [0.999_999], left: 0.000_001 },
])('$name', ({ cpu, used, left }) => {
  const source = amounts({ cpu })
  const room = amounts({ cpu })
  for (const each of used) subtract(amounts({ cpu: each }), source, room)
  expect([source.get('cpu'), room.get('cpu')]).toEqual([left, left])
})
