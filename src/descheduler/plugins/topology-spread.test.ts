import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import { simpleEvictor } from '../../../test/build/simple-evictor.ts'
import type { TopologySpreadConstraint } from '../../api/kubernetes/scheduling.ts'
import type { Outcome } from '../plugin.ts'
import type { TopologySpreadArgs } from '../policy/policy.ts'
import type { NodeView, PodView } from '../view.ts'
import { topologySpread } from './topology-spread.ts'

const defaults: TopologySpreadArgs = { constraints: ['DoNotSchedule'], topologyBalanceNodeFit: true }

/** 2 cpu, 3000 bytes, 10 pods, in the zone that its name begins with. */
const node = ({ name, labels, allocatable, ...choices }: NodeChoices): NodeView =>
  nodeView({
    ...choices,
    name,
    labels: { 'kubernetes.io/hostname': name, zone: name.slice(0, 1), ...labels },
    allocatable: { cpu: 2, memory: 3_000, pods: 10, ...allocatable },
  })
const nodesNamed = (names: string) => names.split(' ').map((name) => node({ name }))

const spreadBy = (choices: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...choices,
})

/** So many pods on each node, named by node and number, of 100m each, and all with the same constraint. */
const spread = (counts: Readonly<Record<string, number>>, choices: Partial<PodChoices> = {}, prefix = '') =>
  Object.entries(counts).flatMap(([nodeName, count]) =>
    Array.from({ length: count }, (_, index) =>
      podView({
        name: `${prefix}${nodeName}-${index}`,
        nodeName,
        labels: { app: 'web' },
        requests: { cpu: '100m' },
        spreadConstraints: [spreadBy()],
        ...choices,
      }),
    ),
  )
const within = (maxSkew: number) => ({ spreadConstraints: [spreadBy({ maxSkew })] })
const by = (...constraints: Partial<TopologySpreadConstraint>[]) => ({ spreadConstraints: constraints.map(spreadBy) })
const taint = (effect = 'NoSchedule') => [{ key: 'gpu', value: 'yes', effect }]
const tolerant = { tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }] }
const onlyInA = { nodeSelector: { zone: 'a' } }
const affineTo = (key: string) => ({
  requiredNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' as const }] }] },
})

interface Row {
  readonly name: string
  readonly args?: Partial<TopologySpreadArgs>
  readonly nodes?: readonly NodeView[]
  readonly pods: readonly PodView[]
  readonly nodeFit?: boolean
  /** How many leave each node. */
  readonly expected: Readonly<Record<string, number>>
}

const ab = nodesNamed('a b')
const abc = nodesNamed('a b c')
const both = { constraints: ['DoNotSchedule', 'ScheduleAnyway'] as const }
const soft = by({ whenUnsatisfiable: 'ScheduleAnyway' })
const ofOs = (os: string, names: string) => names.split(' ').map((name) => node({ name, labels: { os } }))
const hosts = [...ofOs('linux', 'l1 l2 l3'), ...ofOs('windows', 'w1 w2 w3')]
const byHost = by({ topologyKey: 'kubernetes.io/hostname' })
const onWindows = { ...byHost, nodeSelector: { os: 'windows' } }
const zonesAndHosts = by({ whenUnsatisfiable: 'ScheduleAnyway' }, { topologyKey: 'kubernetes.io/hostname' })
const inRevision = (hash: string) => ({ labels: { app: 'web', hash }, ...by({ matchLabelKeys: ['hash'] }) })
const tight = [
  node({ name: 'a', allocatable: { cpu: '250m' } }),
  node({ name: 'b', allocatable: { cpu: 1 } }),
  node({ name: 'c', allocatable: { cpu: 1 } }),
]

const rows: readonly Row[] = [
  { name: '[2,1] is within a skew of 1', pods: spread({ a: 2, b: 1 }), expected: {} },
  { name: '[3,1] loses one', pods: spread({ a: 3, b: 1 }), expected: { a: 1 } },
  {
    name: '[3,1] loses one though one pod alone carries the constraint',
    pods: [...spread({ a: 1 }), ...spread({ a: 2, b: 1 }, { spreadConstraints: [] }, 'bare-')],
    expected: { a: 1 },
  },
  {
    name: '[3,1] with soft constraints loses one if both kinds count',
    args: both,
    pods: spread({ a: 3, b: 1 }, soft),
    expected: { a: 1 },
  },
  {
    name: '[3,1] with soft constraints loses one if the soft count alone',
    args: { constraints: ['ScheduleAnyway'] },
    pods: spread({ a: 3, b: 1 }, soft),
    expected: { a: 1 },
  },
  {
    name: '[3,1] with soft constraints loses none if the hard count alone',
    pods: spread({ a: 3, b: 1 }, soft),
    expected: {},
  },
  { name: '[3,1] of protected pods loses none', pods: spread({ a: 3, b: 1 }, {}, 'kept-'), expected: {} },
  {
    name: '[3,1] of a namespace that is not excluded loses one',
    args: { namespaces: { exclude: ['kube-system'] } },
    pods: spread({ a: 3, b: 1 }),
    nodeFit: true,
    expected: { a: 1 },
  },
  {
    name: '[3,1] of an excluded namespace loses none',
    args: { namespaces: { exclude: ['default'] } },
    pods: spread({ a: 3, b: 1 }),
    expected: {},
  },
  { name: '[5,2] loses one', pods: spread({ a: 5, b: 2 }), expected: { a: 1 } },
  { name: '[4,0] loses two', pods: spread({ a: 4 }), expected: { a: 2 } },
  {
    name: '[4,0] loses one if three are bound to where they are',
    nodes: [node({ name: 'a', labels: { ssd: '' } }), node({ name: 'b' })],
    pods: [
      ...spread({ a: 2 }, onlyInA, 'bound-'),
      ...spread({ a: 1 }, affineTo('ssd'), 'affine-'),
      ...spread({ a: 1 }),
    ],
    nodeFit: true,
    expected: { a: 1 },
  },
  {
    name: '[3,3,2] on three of six hosts loses none',
    nodes: hosts,
    pods: spread({ w1: 3, w2: 3, w3: 2 }, onWindows),
    expected: {},
  },
  {
    name: '[3,3,2] loses two when a fourth host comes',
    nodes: [...hosts, ...ofOs('windows', 'w4')],
    pods: spread({ w1: 3, w2: 3, w3: 2 }, onWindows),
    expected: { w1: 1, w2: 1 },
  },
  {
    name: '[4,3,1] on three of six hosts loses one',
    nodes: hosts,
    pods: spread({ w1: 4, w2: 3, w3: 1 }, onWindows),
    expected: { w1: 1 },
  },
  {
    name: '[4,3,1] loses none if the four can be nowhere else',
    nodes: hosts,
    pods: [
      ...spread({ w1: 4 }, { ...byHost, nodeSelector: { 'kubernetes.io/hostname': 'w1' } }),
      ...spread({ w2: 3, w3: 1 }, onWindows),
    ],
    nodeFit: true,
    expected: {},
  },
  {
    name: '[4,0] loses two if the node selector matches both zones',
    nodes: ['a', 'b'].map((name) => node({ name, labels: { region: 'boston' } })),
    pods: spread({ a: 4 }, { nodeSelector: { region: 'boston' } }),
    expected: { a: 2 },
  },
  { name: '[0,1,100] loses 66', nodes: abc, pods: spread({ b: 1, c: 100 }), expected: { c: 66 } },
  {
    name: '[0,1,3,5] loses three',
    nodes: nodesNamed('a b c d'),
    pods: spread({ b: 1, c: 3, d: 5 }),
    expected: { d: 3 },
  },
  { name: '[2,6] with a skew of 2 loses one', pods: spread({ a: 2, b: 6 }, within(2)), expected: { b: 1 } },
  {
    name: '[2,6] with a skew of 2 loses none to a tainted zone',
    nodes: [node({ name: 'a', taints: taint() }), node({ name: 'b' })],
    pods: spread({ a: 2, b: 6 }, within(2)),
    nodeFit: true,
    expected: {},
  },
  {
    name: '[2,6] with a skew of 2 loses none to a zone without cpu',
    nodes: [node({ name: 'a', allocatable: { cpu: '200m' } }), node({ name: 'b' })],
    pods: spread({ a: 2, b: 6 }, within(2)),
    nodeFit: true,
    expected: {},
  },
  {
    name: '[3,1] zones with one pod a host and both constraints lose one',
    args: both,
    nodes: nodesNamed('a1 a2 a3 b1 b2 b3'),
    pods: spread({ a1: 1, a2: 1, a3: 1, b1: 1 }, zonesAndHosts),
    expected: { a1: 1 },
  },
  { name: '[8,7,0] loses three and two', nodes: abc, pods: spread({ a: 8, b: 7 }), expected: { a: 3, b: 2 } },
  { name: '[5,5,5] loses none', nodes: abc, pods: spread({ a: 5, b: 5, c: 5 }), expected: {} },
  {
    name: '[2,0] loses the pod that tolerates the taint of the other zone',
    nodes: [node({ name: 'a' }), node({ name: 'b', taints: taint() })],
    pods: [...spread({ a: 1 }, tolerant), ...spread({ a: 1 }, onlyInA, 'bound-')],
    expected: { a: 1 },
  },
  {
    name: '[2,0] loses none if no pod tolerates the taint of the other zone',
    nodes: [node({ name: 'a' }), node({ name: 'b', taints: taint() })],
    pods: [...spread({ a: 1 }), ...spread({ a: 1 }, onlyInA, 'bound-')],
    expected: {},
  },
  {
    name: '[2,0] loses none to a tainted zone if the evictor wants pods to fit',
    nodes: [node({ name: 'a' }), node({ name: 'b', taints: taint() })],
    pods: [...spread({ a: 1 }), ...spread({ a: 1 }, onlyInA, 'bound-')],
    nodeFit: true,
    expected: {},
  },
  {
    name: '[2,0] loses one to a zone with a taint that is a mere preference',
    nodes: [node({ name: 'a' }), node({ name: 'b', taints: taint('PreferNoSchedule') })],
    pods: [...spread({ a: 1 }), ...spread({ a: 1 }, onlyInA, 'bound-')],
    expected: { a: 1 },
  },
  {
    name: '[2,0] loses none if the labels of the policy do not match',
    args: { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] } },
    pods: spread({ a: 2 }),
    expected: {},
  },
  {
    name: '[2,0] loses one if the labels of the policy match',
    args: { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
    pods: spread({ a: 2 }),
    expected: { a: 1 },
  },
  {
    name: '[2,0] loses one if the policy excludes other labels',
    args: { labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] } },
    pods: spread({ a: 2 }),
    expected: { a: 1 },
  },
  { name: '[2,0] of one revision loses one', pods: spread({ a: 2 }, inRevision('one')), expected: { a: 1 } },
  {
    name: '[2,0] of two revisions loses none',
    pods: [...spread({ a: 1 }, inRevision('one')), ...spread({ a: 1 }, inRevision('two'), 'other-')],
    expected: {},
  },
  {
    name: '[4,2] with two of the four terminating loses none',
    pods: [...spread({ a: 2, b: 2 }), ...spread({ a: 2 }, { isTerminating: true }, 'ending-')],
    expected: {},
  },
  {
    name: '[2,3,4] loses none if the small zone has no cpu',
    nodes: tight,
    pods: spread({ a: 2, b: 3, c: 4 }),
    nodeFit: true,
    expected: {},
  },
  {
    name: '[2,3,4] loses one though the small zone has no cpu, if pods need not fit',
    args: { topologyBalanceNodeFit: false },
    nodes: tight,
    pods: spread({ a: 2, b: 3, c: 4 }),
    nodeFit: true,
    expected: { c: 1 },
  },
  {
    name: '[2,3,4] loses one if all zones have cpu',
    nodes: abc,
    pods: spread({ a: 2, b: 3, c: 4 }),
    expected: { c: 1 },
  },
  {
    name: '[[1,0],[1,1],[2,1]] on two hosts a zone loses none if the small zone has no cpu',
    nodes: [
      node({ name: 'a1', allocatable: { cpu: '150m' } }),
      node({ name: 'a2', allocatable: { cpu: '50m' } }),
      ...nodesNamed('b1 b2 c1 c2'),
    ],
    pods: spread({ a1: 1, b1: 1, b2: 1, c1: 2, c2: 1 }),
    expected: {},
  },
  {
    name: '[[1,4],[2,1]] on two hosts a zone loses one',
    nodes: nodesNamed('a1 a2 b1 b2'),
    pods: spread({ a1: 1, a2: 4, b1: 2, b2: 1 }),
    nodeFit: true,
    expected: { a1: 1 },
  },
  {
    name: '[2,2] hosts that the affinity allows lose none to tainted ones beside them',
    nodes: [
      node({ name: 'cp', taints: [{ key: 'control-plane', effect: 'NoSchedule' }] }),
      node({ name: 'infra', labels: { infra: '' }, taints: [{ key: 'infra', effect: 'NoSchedule' }] }),
      ...['app1', 'app2'].map((name) => node({ name, labels: { apps: '' } })),
    ],
    pods: spread({ app1: 2, app2: 2 }, { ...byHost, ...affineTo('apps') }),
    nodeFit: true,
    expected: {},
  },
]

function run({ args, nodes = ab, pods, nodeFit = false }: Omit<Row, 'expected' | 'name'>): string[] {
  const evictor = simpleEvictor({ nodes, pods, nodeFit })
  return runPlugin(topologySpread, { ...defaults, ...args }, { nodes, pods, evictor })
}

function countsByNode(names: readonly string[], pods: readonly PodView[]) {
  const nodeOf = new Map(pods.map(({ name, nodeName }) => [name, nodeName]))
  const byNode = Object.groupBy(names, (name) => nodeOf.get(name) ?? '')
  return Object.fromEntries(Object.entries(byNode).map(([nodeName, ofNode]) => [nodeName, ofNode?.length]))
}

test.each(rows)('TopologySpread: $name', ({ expected, ...row }) => {
  expect(countsByNode(run(row), row.pods)).toEqual(expected)
})

test.each<Row>([
  {
    name: 'protected pods count in no zone: [3,1] with two protected in the first loses none',
    pods: [...spread({ a: 1, b: 1 }), ...spread({ a: 2 }, {}, 'kept-')],
    expected: {},
  },
  {
    name: 'zones without any pod count: [2,0] loses one',
    pods: spread({ a: 2 }),
    expected: { a: 1 },
  },
  {
    name: 'zones of nodes that the carrier may not use do not count: [2,0] loses none',
    nodes: [node({ name: 'a', labels: { ssd: '' } }), node({ name: 'b' })],
    pods: spread({ a: 2 }, affineTo('ssd')),
    expected: {},
  },
  {
    name: 'they count if affinity is ignored, but the pods fit nowhere there',
    nodes: [node({ name: 'a', labels: { ssd: '' } }), node({ name: 'b' })],
    pods: spread({ a: 2 }, { ...affineTo('ssd'), ...by({ nodeAffinityPolicy: 'Ignore' }) }),
    expected: {},
  },
  {
    name: 'they count if affinity is ignored, and pods leave that need not fit',
    args: { topologyBalanceNodeFit: false },
    nodes: [node({ name: 'a', labels: { ssd: '' } }), node({ name: 'b' })],
    pods: spread({ a: 2 }, { ...affineTo('ssd'), ...by({ nodeAffinityPolicy: 'Ignore' }) }),
    expected: { a: 1 },
  },
  {
    name: 'tainted zones do not count if taints are honoured: [2,2,0] loses none though pods need not fit',
    args: { topologyBalanceNodeFit: false },
    nodes: [...ab, node({ name: 'c', taints: taint() })],
    pods: spread({ a: 2, b: 2 }, by({ nodeTaintsPolicy: 'Honor' })),
    expected: {},
  },
  {
    name: 'tainted zones count otherwise: [2,2,0] loses one',
    args: { topologyBalanceNodeFit: false },
    nodes: [...ab, node({ name: 'c', taints: taint() })],
    pods: spread({ a: 2, b: 2 }),
    expected: { b: 1 },
  },
  {
    name: 'cordoned zones count, but no pod fits there: [2,0] loses none',
    nodes: [node({ name: 'a' }), node({ name: 'b', isCordoned: true })],
    pods: spread({ a: 2 }),
    expected: {},
  },
  {
    name: 'namespaces count by themselves: [2,0] and [0,2] lose one each',
    pods: [...spread({ a: 2 }), ...spread({ b: 2 }, { namespace: 'other' }, 'other-')],
    expected: { a: 1, b: 1 },
  },
  {
    name: 'pods that are over do not count',
    pods: [...spread({ a: 1 }), ...spread({ a: 2 }, { phase: 'Succeeded' }, 'done-')],
    expected: {},
  },
  {
    name: 'without a selector no pod counts',
    pods: spread(
      { a: 4 },
      { spreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    ),
    expected: {},
  },
  {
    name: 'nodes without the key do not count',
    nodes: [nodeView({ name: 'x' }), ...ab],
    pods: spread({ x: 5, a: 1, b: 1 }),
    expected: {},
  },
])('TopologySpread: $name', ({ expected, ...row }) => {
  expect(countsByNode(run(row), row.pods)).toEqual(expected)
})

/** By name, what is special about a pod. All four are on node a, so that two have to leave. */
interface OrderRow {
  readonly name: string
  readonly pods: Readonly<Record<string, Partial<PodChoices>>>
  readonly leaving?: readonly string[]
  readonly alone?: readonly string[]
  readonly expected: readonly string[]
}

const four = { p1: {}, p2: {}, p3: {}, p4: {} }

test.each<OrderRow>([
  {
    name: 'the highest priority, and who has none stays',
    pods: { low: { priority: 1 }, high: { priority: 100 }, none: {}, middle: { priority: 50 } },
    expected: ['high', 'middle'],
  },
  {
    name: 'the lowest priority before none at all',
    pods: { none1: {}, none2: {}, lowest: { priority: -(2 ** 31) }, low: { priority: -1 } },
    expected: ['low', 'lowest'],
  },
  {
    name: 'who is not bound by affinity before who is',
    pods: { bound1: affineTo('zoned'), free1: {}, bound2: affineTo('zoned'), free2: {} },
    expected: ['free1', 'free2'],
  },
  {
    name: 'who is not bound to nodes before who is, whatever the priority',
    pods: {
      bound: { priority: 100, nodeSelector: { zoned: '' } },
      free1: { priority: 1 },
      free2: { priority: 2 },
      preferring: { priority: 100, preferredNodeAffinity: [{ weight: 1, preference: {} }] },
    },
    expected: ['free1', 'free2'],
  },
  {
    name: 'who has an empty node affinity after who has none',
    pods: { empty1: { hasNodeAffinity: true }, empty2: { hasNodeAffinity: true }, free1: {}, free2: {} },
    expected: ['free1', 'free2'],
  },
  {
    name: 'the highest priority among those who are bound',
    pods: Object.fromEntries(
      [1, 2, 3, 4].map((priority) => [`p${priority}`, { priority, nodeSelector: { zoned: '' } }]),
    ),
    expected: ['p3', 'p4'],
  },
  {
    name: 'who fits elsewhere before who does not, whatever the priority',
    pods: {
      stuck1: { priority: 9, nodeSelector: { ssd: '' } },
      p1: { priority: 1 },
      p2: {},
      stuck2: { priority: 9, nodeSelector: { ssd: '' } },
    },
    expected: ['p1', 'p2'],
  },
  { name: 'by name, where all else is equal', pods: four, expected: ['p1', 'p2'] },
  {
    name: 'who is leaving already',
    pods: { ...four, p1: { priority: 7 } },
    leaving: ['p3', 'p4'],
    expected: ['p3', 'p4'],
  },
  { name: 'one more if one is leaving already', pods: four, leaving: ['p4'], expected: ['p4', 'p1'] },
  {
    name: 'who is leaving already, though its successor fits nowhere else',
    pods: { ...four, p4: { nodeSelector: { ssd: '' } } },
    leaving: ['p4'],
    expected: ['p4', 'p1'],
  },
  {
    name: 'who is to be left alone last',
    pods: { ...four, p1: { priority: 7 } },
    alone: ['p1'],
    expected: ['p2', 'p3'],
  },
  {
    name: 'who is to be left alone, if no other is there',
    pods: four,
    alone: ['p1', 'p2', 'p3'],
    expected: ['p4', 'p1'],
  },
])('of a zone that has two too many leave: $name', ({ pods, leaving = [], alone = [], expected }) => {
  const nodes = [node({ name: 'a', labels: { zoned: '', ssd: '' } }), node({ name: 'b', labels: { zoned: '' } })]
  const views = Object.entries(pods).map(([name, choices]) =>
    podView({ name, nodeName: 'a', labels: { app: 'web' }, ...by({ nodeAffinityPolicy: 'Ignore' }), ...choices }),
  )
  const rankOf = ({ name }: PodView) => (leaving.includes(name) ? 0 : alone.includes(name) ? 2 : 1)
  const left = runPlugin(topologySpread, defaults, { nodes, pods: views, rankOf })
  expect(left.toSorted()).toEqual([...expected].toSorted())
})

describe('TopologySpread', () => {
  test.each<{ name: string; outcomes: Readonly<Record<string, Outcome>>; expected: string[] }>([
    {
      name: 'passes over pods of a node that has reached its limit',
      outcomes: { 'a-0': 'nodeLimit' },
      expected: ['b-0', 'b-1'],
    },
    {
      name: 'continues after a namespace limit',
      outcomes: { 'a-0': 'namespaceLimit' },
      expected: ['a-1', 'a-2', 'b-0', 'b-1'],
    },
    {
      name: 'takes no other in place of a refused pod',
      outcomes: { 'a-0': 'refused' },
      expected: ['a-1', 'a-2', 'b-0', 'b-1'],
    },
    { name: 'ends at the total limit', outcomes: { 'a-2': 'totalLimit' }, expected: ['a-0', 'a-1'] },
  ])('$name', ({ outcomes, expected }) => {
    const outcomeOf = ({ name }: PodView) => outcomes[name]
    expect(runPlugin(topologySpread, defaults, { nodes: abc, pods: spread({ a: 8, b: 7 }), outcomeOf })).toEqual(
      expected,
    )
  })

  test('names who is leaving first and who is to be left alone last, over all zones', () => {
    const rankOf = ({ name }: PodView) =>
      ({ 'b-6': 0, 'a-0': 2, 'a-1': 2, 'a-2': 2, 'a-3': 2, 'a-4': 2, 'a-5': 2 })[name] ?? 1
    const left = runPlugin(topologySpread, defaults, { nodes: abc, pods: spread({ a: 8, b: 7 }), rankOf })
    expect(left).toEqual(['b-6', 'a-6', 'a-7', 'b-0', 'a-0'])
  })

  test('asks the evictor again before a pod is named, as fewer may be left', () => {
    let leaving = 0
    const evictor = {
      filter: () => (leaving === 2 ? 'too few are left' : undefined),
      preEvictionFilter: ({ name }: PodView) => (name === 'a-0' ? 'it fits nowhere' : undefined),
    }
    const outcomeOf = (): Outcome => {
      leaving += 1
      return 'leaves'
    }
    const left = runPlugin(topologySpread, defaults, { nodes: abc, pods: spread({ a: 8, b: 7 }), evictor, outcomeOf })
    expect(left).toEqual(['a-1', 'a-2'])
  })

  test('two zones of pods that may leave always end within the skew', () => {
    const size = fc.integer({ min: 0, max: 20 })
    fc.assert(
      fc.property(size, size, fc.integer({ min: 1, max: 4 }), (a, b, maxSkew) => {
        const pods = spread({ a, b }, { ...within(maxSkew), requests: {} })
        const nodes = ['a', 'b'].map((name) => node({ name, allocatable: { pods: 100 } }))
        const left = countsByNode(runPlugin(topologySpread, defaults, { nodes, pods }), pods)
        const moved = (left['a'] ?? 0) - (left['b'] ?? 0)
        expect(Math.abs(a - b - 2 * moved)).toBeLessThanOrEqual(maxSkew)
      }),
    )
  })
})
