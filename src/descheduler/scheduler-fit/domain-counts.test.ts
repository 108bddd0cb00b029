import { expect, test } from 'vitest'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import { atOnce } from '../plugin.ts'
import { DomainCounts } from './domain-counts.ts'
import { nowhere } from './topology.ts'

const nodes = [
  { name: 'n1', labels: { zone: 'a' } },
  { name: 'n2', labels: { zone: 'a' } },
  { name: 'n3', labels: { zone: 'b' } },
  { name: 'n4', labels: {} },
]
const zones = { a: 0, b: 1 }

function countsOf(choices: Parameters<typeof podsOf>[0]) {
  const pods = podsOf(choices)
  const ground = new FitGround(nodes, pods)
  const counts = atOnce(
    DomainCounts.build(ground.topology, ground.cohorts, {
      topologyKey: 'zone',
      members: ground.cohorts.listIn(undefined),
      counts: ({ isTerminating }) => !isTerminating,
    }),
  )
  return { pods, counts, cohorts: ground.cohorts }
}

test('counts pods in the domains of their nodes, where they have one', () => {
  const { pods, counts } = countsOf([
    { nodeName: 'n1' },
    { nodeName: 'n2' },
    { nodeName: 'n3' },
    { nodeName: 'n4' },
    { nodeName: 'n9' },
    { nodeName: 'n3', phase: 'Failed' },
    { nodeName: 'n3', isTerminating: true },
  ])
  expect([counts.countIn(zones.a), counts.countIn(zones.b), counts.total]).toEqual([2, 1, 3])
  expect(pods.map((pod) => counts.domainOf(pod))).toEqual([0, 0, 1, nowhere, nowhere, nowhere, nowhere])
  expect([counts.isOneNode(zones.a), counts.isOneNode(zones.b)]).toEqual([false, true])
  expect([0, 2, 3].map((position) => counts.domainAt(position))).toEqual([zones.a, zones.b, nowhere])
})

test('the lowest count is 0 where a domain has none', () => {
  const { counts } = countsOf([{ nodeName: 'n1' }, { nodeName: 'n1' }, { nodeName: 'n3' }])
  expect([counts.lowestOf(2), counts.lowestOf(3)]).toEqual([1, 0])
  expect(countsOf([]).counts.lowestOf(1)).toBe(0)
})

test('a pod that leaves is seen once, and one that did not count not at all', () => {
  const { pods, counts, cohorts } = countsOf([
    { nodeName: 'n1' },
    { nodeName: 'n1' },
    { nodeName: 'n3' },
    { nodeName: 'n3', isTerminating: true },
  ])
  const seen = pods.toReversed().map((pod) => {
    cohorts.leave(pod)
    cohorts.leave(pod)
    return [counts.version, counts.total, counts.countIn(zones.a), counts.countIn(zones.b), counts.lowestOf(2)]
  })
  expect(seen).toEqual([
    [0, 3, 2, 1, 1],
    [1, 2, 2, 0, 0],
    [2, 1, 1, 0, 0],
    [3, 0, 0, 0, 0],
  ])
})

test('pods that left before are not counted', () => {
  const { pods, cohorts } = countsOf([{ nodeName: 'n1' }, { nodeName: 'n3' }])
  for (const pod of pods.slice(0, 1)) cohorts.leave(pod)
  const ground = new FitGround(nodes, [])
  const counted = { topologyKey: 'zone', members: cohorts.listIn(undefined) }
  const later = atOnce(DomainCounts.build(ground.topology, cohorts, counted))
  expect([later.countIn(zones.a), later.countIn(zones.b)]).toEqual([0, 1])
})
