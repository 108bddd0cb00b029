import { describe, expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import type { DefaultEvictorArgs, Limits, NodeAffinityArgs } from '../policy/policy.ts'
import { nodeAffinity } from './node-affinity.ts'

const required = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
const term = (key: string, value: string) => ({ matchExpressions: [{ key, operator: 'In' as const, values: [value] }] })
const desired = term('desired', 'yes')
const needs: PodChoices = { name: 'needs', requiredNodeAffinity: { nodeSelectorTerms: [desired] } }
const likes: PodChoices = { name: 'likes', preferredNodeAffinity: [{ weight: 10, preference: desired }] }
const plain: PodChoices = { name: 'plain' }
const [other, good]: readonly [NodeChoices, NodeChoices] = [{ name: 'n1' }, { name: 'n2', labels: { desired: 'yes' } }]
const cordoned = { ...good, isCordoned: true }
const on2 = (pod: PodChoices) => ({ ...pod, nodeName: 'n2' })

interface Row {
  readonly name: string
  readonly type?: string
  readonly args?: Partial<NodeAffinityArgs>
  readonly pods: readonly PodChoices[]
  readonly nodes?: readonly NodeChoices[]
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  readonly expected: readonly string[]
}

/** What holds for both types. */
const alike = [
  { type: required, pod: needs },
  { type: preferred, pod: likes },
].flatMap(({ type, pod }): Row[] => [
  { name: 'it is where it should be', type, pods: [on2(pod), on2(plain)], expected: [] },
  { name: 'another node is the better one', type, pods: [pod, plain], expected: [pod.name] },
  { name: 'the limit of its node is 1', type, pods: [pod, plain], limits: { perNode: 1 }, expected: [pod.name] },
  { name: 'the limit of its node is 0', type, pods: [pod], limits: { perNode: 0 }, expected: [] },
  { name: 'the limit of its namespace is 1', type, pods: [pod], limits: { perNamespace: 1 }, expected: [pod.name] },
  { name: 'the limit of its namespace is 0', type, pods: [pod], limits: { perNamespace: 0 }, expected: [] },
  { name: 'the total limit is 0', type, pods: [pod], limits: { total: 0 }, expected: [] },
  { name: 'it is being deleted', type, pods: [{ ...pod, isTerminating: true }], expected: [] },
  {
    name: 'the better node is cordoned',
    type,
    pods: [pod],
    nodes: [other, cordoned],
    evictor: { nodeFit: true },
    expected: [],
  },
  {
    name: 'it is where it should be, and another such node is cordoned',
    type,
    pods: [on2(pod)],
    nodes: [good, { ...cordoned, name: 'n3' }],
    evictor: { nodeFit: true },
    expected: [],
  },
  { name: 'it is over', type, pods: [{ ...pod, phase: 'Succeeded' }], expected: [] },
  {
    name: 'its namespace is excluded',
    type,
    args: { namespaces: { exclude: ['default'] } },
    pods: [pod],
    expected: [],
  },
  {
    name: 'it does not have the label',
    type,
    args: { labelSelector: { matchLabels: { app: 'web' } } },
    pods: [pod],
    expected: [],
  },
])

const requiredRows: readonly Row[] = [
  { name: 'the better node is cordoned, and nodeFit is off', pods: [needs], nodes: [other, cordoned], expected: [] },
  { name: 'the better node has no room', pods: [{ ...needs, requests: { cpu: 5 } }], expected: [] },
  {
    name: 'the better node has a taint',
    pods: [needs],
    nodes: [other, { ...good, taints: [{ key: 'gpu', effect: 'NoSchedule' }] }],
    expected: [],
  },
  { name: 'no node is better', pods: [needs], nodes: [other, { name: 'n2', labels: {} }], expected: [] },
  {
    name: 'the node has it, and not what the node selector asks for',
    pods: [on2({ ...needs, nodeSelector: { disk: 'ssd' } })],
    nodes: [good, { name: 'n3', labels: { desired: 'yes', disk: 'ssd' } }],
    expected: ['needs'],
  },
  {
    name: 'a node selector alone does not count',
    pods: [{ ...plain, nodeSelector: { desired: 'yes' } }],
    expected: [],
  },
  { name: 'a preference does not count', pods: [likes], expected: [] },
  {
    name: 'the limit of one node does not end the others',
    pods: [needs, { ...needs, name: 'needs-2' }, { ...needs, name: 'needs-3', nodeName: 'n3' }],
    nodes: [other, good, { name: 'n3' }],
    limits: { perNode: 1 },
    expected: ['needs', 'needs-3'],
  },
  {
    name: 'the total limit ends everything',
    pods: [needs, { ...needs, name: 'needs-3', nodeName: 'n3' }],
    nodes: [other, good, { name: 'n3' }],
    limits: { total: 1 },
    expected: ['needs'],
  },
]

const heavy = (weight: number, key: string) => ({ weight, preference: term(key, 'yes') })
const choosy = (nodeName: string): PodChoices => ({
  ...likes,
  nodeName,
  preferredNodeAffinity: [heavy(2, 'a'), heavy(3, 'b'), heavy(4, 'c')],
})
const [ab, c] = [
  { name: 'n1', labels: { a: 'yes', b: 'yes' } },
  { name: 'n2', labels: { c: 'yes' } },
]
const preferredRows: readonly Row[] = [
  {
    name: 'the weights of a node add up: it stays on the heavier one',
    type: preferred,
    pods: [choosy('n1')],
    nodes: [ab, c],
    expected: [],
  },
  {
    name: 'the weights of a node add up: it leaves the lighter one',
    type: preferred,
    pods: [choosy('n2')],
    nodes: [ab, c],
    expected: ['likes'],
  },
  {
    name: 'an equal node is no better',
    type: preferred,
    pods: [likes],
    nodes: [{ ...good, name: 'n1' }, good],
    expected: [],
  },
  {
    name: 'no node has what it prefers',
    type: preferred,
    pods: [likes],
    nodes: [other, { name: 'n2', labels: {} }],
    expected: [],
  },
  {
    name: 'the best node does not take it, and its own does: it goes all the same',
    type: preferred,
    pods: [likes],
    nodes: [other, cordoned],
    expected: ['likes'],
  },
  {
    name: 'no node takes it, not even its own',
    type: preferred,
    pods: [likes],
    nodes: [{ ...other, isCordoned: true }, cordoned],
    expected: [],
  },
  {
    name: 'an empty preference matches no node',
    type: preferred,
    pods: [{ ...likes, preferredNodeAffinity: [{ weight: 1, preference: {} }] }],
    expected: [],
  },
  { name: 'a need does not count', type: preferred, pods: [needs], expected: [] },
]

describe.each([
  { about: 'of both types', rows: alike },
  { about: 'required', rows: requiredRows },
  { about: 'preferred', rows: preferredRows },
])('$about', ({ rows }) => {
  test.each(rows)(
    '$name ($pods.0.name)',
    ({ type = required, args, pods, nodes = [other, good], evictor, limits = {}, expected }) => {
      const world = {
        nodes: nodes.map(nodeView),
        pods: pods.map(podView),
        evictor: defaultEvictor(evictor),
        outcomeOf: limitedBy(limits),
      }
      expect(runPlugin(nodeAffinity, { nodeAffinityType: [type], ...args }, world)).toEqual(expected)
    },
  )
})

describe('types', () => {
  const world = () => ({ nodes: [nodeView(other), nodeView(good)], pods: [likes, needs].map(podView) })

  test.each([
    {
      name: 'an unknown type is passed over',
      types: ['requiredDuringSchedulingRequiredDuringExecution'],
      expected: [],
    },
    { name: 'a name that every object has is passed over', types: ['constructor'], expected: [] },
    { name: 'no type', types: [], expected: [] },
    { name: 'one type after the other', types: [preferred, 'unknown', required], expected: ['likes', 'needs'] },
    { name: 'in the order of the args', types: [required, preferred], expected: ['needs', 'likes'] },
  ])('$name', ({ types, expected }) => {
    expect(runPlugin(nodeAffinity, { nodeAffinityType: types }, world())).toEqual(expected)
  })

  test('a pod that left by one type is not named by the other', () => {
    const both = podView({ ...needs, ...likes, name: 'both' })
    expect(runPlugin(nodeAffinity, { nodeAffinityType: [required, preferred] }, { ...world(), pods: [both] })).toEqual([
      'both',
    ])
  })

  test('the total limit ends the later types as well', () => {
    const limited = { ...world(), outcomeOf: limitedBy({ total: 1 }) }
    expect(runPlugin(nodeAffinity, { nodeAffinityType: [required, preferred] }, limited)).toEqual(['needs'])
  })
})

test('room that one pod leaves behind lets another go', () => {
  const big = { requests: { cpu: 4 } }
  const wants = (name: string, nodeName: string, value: string) =>
    podView({ name, nodeName, ...big, requiredNodeAffinity: { nodeSelectorTerms: [term('kind', value)] } })
  const nodes = ['a', 'b', 'c'].map((kind, index) => nodeView({ name: `n${index + 1}`, labels: { kind } }))
  // n1 must empty before the pod of n2 finds room there. The pod of n1 finds room on n3.
  const pods = [wants('first', 'n1', 'c'), wants('second', 'n2', 'a')]
  expect(runPlugin(nodeAffinity, { nodeAffinityType: [required] }, { nodes, pods })).toEqual(['first', 'second'])
  expect(runPlugin(nodeAffinity, { nodeAffinityType: [required] }, { nodes: nodes.slice(0, 2), pods })).toEqual([])
})
