import { expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import type { DefaultEvictorArgs, Limits, PodSelection } from '../policy/policy.ts'
import { interPodAntiAffinity } from './inter-pod-anti-affinity.ts'

interface Row {
  readonly name: string
  readonly args?: PodSelection
  readonly pods: readonly PodChoices[]
  readonly nodes?: readonly NodeChoices[]
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  readonly leaving?: string
  readonly expected: readonly string[]
}

const region = { region: 'main' }
const awayFrom = (app: string, topologyKey = 'region') => ({
  antiAffinity: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
})
const fromFoo = (name: string, rest: Partial<PodChoices> = {}): PodChoices => ({ name, ...awayFrom('foo'), ...rest })
const foo = (name: string, rest: Partial<PodChoices> = {}): PodChoices => ({ name, labels: { app: 'foo' }, ...rest })
const four = [fromFoo('p1'), foo('p2'), fromFoo('p3'), fromFoo('p4')]
const critical = foo('critical', { priority: 2_000_000_000 })
const [n1, n2] = [
  { name: 'n1', labels: region },
  { name: 'n2', labels: region },
]
const eachOther = (name: string, priority: number, own: string, others: string) => ({
  name,
  priority,
  labels: { app: own },
  ...awayFrom(others),
})

const rows: readonly Row[] = [
  { name: 'those with a rule on a pod beside them go', pods: four, expected: ['p1', 'p3', 'p4'] },
  { name: 'a limit of the node of 3', pods: four, limits: { perNode: 3 }, expected: ['p1', 'p3', 'p4'] },
  { name: 'a limit of the node of 1', pods: four, limits: { perNode: 1 }, expected: ['p1'] },
  { name: 'a limit of the namespace of 3', pods: four, limits: { perNamespace: 3 }, expected: ['p1', 'p3', 'p4'] },
  { name: 'a total limit of 1', pods: four, limits: { perNamespace: 3, total: 1 }, expected: ['p1'] },
  {
    name: 'the one of lowest priority goes, which leaves the others at peace',
    pods: [eachOther('p5', 100, 'foo', 'bar'), eachOther('p6', 50, 'foo', 'bar'), eachOther('p7', 0, 'bar', 'foo')],
    expected: ['p7'],
  },
  {
    name: 'the one of highest priority is alone against two of lower priority, who go',
    pods: [eachOther('p5', 1, 'foo', 'bar'), eachOther('p6', 2, 'foo', 'bar'), eachOther('p7', 3, 'bar', 'foo')],
    expected: ['p5', 'p6'],
  },
  {
    name: 'a pod beside a critical one goes, and the critical one stays',
    pods: [fromFoo('p1'), critical],
    limits: { perNode: 1 },
    expected: ['p1'],
  },
  { name: 'a critical pod with a rule stays', pods: [{ ...critical, ...awayFrom('foo') }, foo('p2')], expected: [] },
  {
    name: 'of two that keep away from each other one goes',
    pods: [fromFoo('p1', { labels: { app: 'foo' } }), fromFoo('p2', { labels: { app: 'foo' } })],
    expected: ['p1'],
  },
  {
    name: 'a pod that is selected by its own rule alone stays',
    pods: [fromFoo('p1', { labels: { app: 'foo' } })],
    expected: [],
  },
  {
    name: 'it fits no other node by its node selector',
    pods: [fromFoo('p1', { nodeSelector: { datacenter: 'west' } }), foo('p2')],
    nodes: [n1, { name: 'n2', labels: { datacenter: 'east' } }],
    evictor: { nodeFit: true },
    expected: [],
  },
  {
    name: 'the only other node is cordoned',
    pods: [fromFoo('p1'), foo('p2')],
    nodes: [n1, { ...n2, isCordoned: true }],
    evictor: { nodeFit: true },
    expected: [],
  },
  {
    name: 'the only other node has no room',
    pods: four.map((pod) => ({ ...pod, requests: { cpu: '100m' } })),
    nodes: [n1, { ...n2, allocatable: { cpu: '2m' } }],
    evictor: { nodeFit: true },
    expected: [],
  },
  {
    name: 'pods that are being deleted stay',
    pods: [
      fromFoo('p1', { isTerminating: true, labels: { app: 'foo' } }),
      fromFoo('p2', { isTerminating: true, labels: { app: 'foo' } }),
    ],
    expected: [],
  },
  {
    name: 'a pod beside one that is being deleted goes',
    pods: [fromFoo('p1'), foo('p2', { isTerminating: true })],
    expected: ['p1'],
  },
  {
    name: 'a pod on another node of the same region counts',
    pods: [fromFoo('p1'), foo('p2', { nodeName: 'n2' })],
    nodes: [n1, n2],
    expected: ['p1'],
  },
  {
    name: 'a pod in another region does not',
    pods: [fromFoo('p1'), foo('p2', { nodeName: 'n2' })],
    nodes: [n1, { name: 'n2', labels: { region: 'far' } }],
    expected: [],
  },
  {
    name: 'nodes without the topology key are no region',
    pods: [fromFoo('p1'), foo('p2', { nodeName: 'n2' })],
    nodes: [
      { name: 'n1', labels: {} },
      { name: 'n2', labels: {} },
    ],
    expected: [],
  },
  {
    name: 'on the same node the topology key does not matter',
    pods: [fromFoo('p1'), foo('p2')],
    nodes: [{ name: 'n1', labels: {} }],
    expected: ['p1'],
  },
  {
    name: 'a pod on a node outside the cycle does not count',
    pods: [fromFoo('p1'), foo('p2', { nodeName: 'n9' })],
    expected: [],
  },
  {
    name: 'a pod of another namespace does not count',
    pods: [fromFoo('p1'), foo('p2', { namespace: 'shop' })],
    expected: [],
  },
  {
    name: 'a pod of a namespace that the rule names counts',
    pods: [
      {
        name: 'p1',
        antiAffinity: [{ topologyKey: 'region', namespaces: ['shop'], labelSelector: { matchLabels: { app: 'foo' } } }],
      },
      foo('p2', { namespace: 'shop' }),
    ],
    expected: ['p1'],
  },
  {
    name: 'pods that are not listed do not count',
    args: { namespaces: { include: ['default'] } },
    pods: [
      { name: 'p1', antiAffinity: [{ topologyKey: 'region', namespaces: ['shop'], labelSelector: {} }] },
      foo('p2', { namespace: 'shop' }),
    ],
    expected: [],
  },
  {
    name: 'pods without the label neither go nor count',
    args: { labelSelector: { matchLabels: { app: 'foo' } } },
    pods: four,
    expected: [],
  },
  {
    name: 'pods that are over neither go nor count',
    pods: [
      fromFoo('p1', { phase: 'Succeeded' }),
      foo('p2'),
      fromFoo('p3', { namespace: 'shop' }),
      foo('p4', { namespace: 'shop', phase: 'Failed' }),
    ],
    expected: [],
  },
  {
    name: 'one that is leaving already goes first, and the others are at peace',
    pods: [eachOther('p5', 1, 'foo', 'bar'), eachOther('p6', 2, 'foo', 'bar'), eachOther('p7', 3, 'bar', 'foo')],
    leaving: 'p7',
    expected: ['p7'],
  },
]

test.each(rows)('$name', ({ args = {}, pods, nodes = [n1], evictor, limits = {}, leaving, expected }) => {
  const world = {
    nodes: nodes.map(nodeView),
    pods: pods.map(podView),
    evictor: defaultEvictor(evictor),
    outcomeOf: limitedBy(limits),
    rankOf: ({ name }: { name: string }) => (name === leaving ? 0 : 1),
  }
  expect(runPlugin(interPodAntiAffinity, args, world)).toEqual(expected)
})

test('a pod that was refused stays in the way of the others', () => {
  const world = {
    nodes: [nodeView(n1)],
    pods: [eachOther('p1', 0, 'bar', 'foo'), eachOther('p2', 1, 'foo', 'bar')].map(podView),
    outcomeOf: ({ name }: { name: string }) => (name === 'p1' ? ('refused' as const) : undefined),
  }
  expect(runPlugin(interPodAntiAffinity, {}, world)).toEqual(['p2'])
})

test('only pods in conflict are shown to the evictor', () => {
  const asked: string[] = []
  const evictor = {
    filter: ({ name }: { name: string }) => {
      asked.push(name)
      return 'no'
    },
    preEvictionFilter: () => undefined,
  }
  const pods = [fromFoo('p1'), foo('p2'), { name: 'p3', ...awayFrom('bar') }].map(podView)
  expect(runPlugin(interPodAntiAffinity, {}, { nodes: [nodeView(n1)], pods, evictor })).toEqual([])
  expect(asked).toEqual(['p1'])
})
