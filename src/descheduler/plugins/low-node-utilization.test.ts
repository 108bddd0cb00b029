import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  noMetrics,
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import { simpleEvictor } from '../../../test/build/simple-evictor.ts'
import type { Outcome } from '../plugin.ts'
import type { LowNodeUtilizationArgs } from '../policy/policy.ts'
import type { MetricsView, NodeView, PodView } from '../view.ts'
import { lowNodeUtilization } from './low-node-utilization.ts'

const defaults: LowNodeUtilizationArgs = {
  thresholds: { cpu: 30, pods: 30 },
  targetThresholds: { cpu: 50, pods: 50 },
  useDeviationThresholds: false,
  numberOfNodes: 0,
}
const deviation = (thresholds: Readonly<Record<string, number>>): Partial<LowNodeUtilizationArgs> => ({
  thresholds,
  targetThresholds: thresholds,
  useDeviationThresholds: true,
})

/** 4 cpu, 3000 bytes, 10 pods. */
const node = ({ allocatable, ...choices }: NodeChoices): NodeView =>
  nodeView({ ...choices, allocatable: { cpu: 4, memory: 3_000, pods: 10, ...allocatable } })
const n1 = node({ name: 'n1', allocatable: { pods: 9 } })
const n2 = node({ name: 'n2' })
const cordoned = node({ name: 'n3', isCordoned: true })

/** p1, p2, … on n1 with 400m each. Names that begin with `kept` are those of protected pods. */
const pods = (count: number, choices: Partial<PodChoices> = {}, prefix = 'p') =>
  Array.from({ length: count }, (_, index) =>
    podView({ name: `${prefix}${index + 1}`, requests: { cpu: '400m' }, ...choices }),
  )
const kept = (count: number, choices: Partial<PodChoices> = {}) => pods(count, choices, 'kept')
const there = (choices: Partial<PodChoices> = {}) =>
  podView({ name: 'there', nodeName: 'n2', requests: { cpu: '400m' }, ...choices })

interface Row {
  readonly name: string
  readonly args?: Partial<LowNodeUtilizationArgs>
  readonly nodes?: readonly NodeView[]
  readonly pods: readonly PodView[]
  /** Thousandths of a cpu that each of p1, p2, … is measured to use; 401 if left out. */
  readonly measuredCpu?: number
  readonly measuredNodes?: Readonly<Record<string, readonly [cpu: number, memory: number]>>
  readonly expected: number | readonly string[]
  /** By metrics, if that differs. */
  readonly measured?: number | 'failure'
}

const gpu = { 'example.com/gpu': 1 }
const west = { nodeSelector: { datacenter: 'west' } }
const westByAffinity = {
  requiredNodeAffinity: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'datacenter', operator: 'In' as const, values: ['west'] }] }],
  },
}

const rows: readonly Row[] = [
  { name: 'sends no pod away if all are protected', pods: [...kept(6), there()], expected: 0 },
  { name: 'sends away who brings the source to its target', pods: [...pods(5), ...kept(3), there()], expected: 4 },
  {
    name: 'sends no pod away from an excluded namespace',
    args: { evictableNamespaces: { exclude: ['shop'] } },
    pods: [...pods(5, { namespace: 'shop' }), ...kept(3), there()],
    expected: 0,
  },
  { name: 'sends away no more than those who may leave', pods: [...pods(2), ...kept(6), there()], expected: 2 },
  {
    name: 'stops when the destinations have no cpu left',
    nodes: [n1, node({ name: 'n2', allocatable: { cpu: 3 } }), cordoned],
    pods: [...pods(5), ...kept(3), there()],
    // 1500m − 400m of room: three pods use it up.
    expected: 3,
  },
  {
    name: 'begins with the lowest priority',
    pods: [
      ...pods(4, { priority: 10_000 }),
      podView({ name: 'p5', priority: 0, requests: { cpu: '400m' } }),
      ...kept(3),
      there(),
    ],
    expected: ['p5', 'p1', 'p2', 'p3'],
  },
  {
    name: 'begins with who requests nothing, at equal priority',
    pods: [
      ...pods(2, { requests: {} }),
      podView({ name: 'p3', requests: { cpu: '400m' } }),
      ...['p4', 'p5'].map((name) => podView({ name })),
      ...kept(3),
      there(),
    ],
    expected: ['p1', 'p2', 'p4', 'p5'],
  },
  {
    name: 'stops when the destinations have nothing left of an extended resource',
    args: { thresholds: { pods: 30, 'example.com/gpu': 30 }, targetThresholds: { pods: 50, 'example.com/gpu': 50 } },
    nodes: [
      node({ name: 'n1', allocatable: { pods: 9, 'example.com/gpu': 8 } }),
      node({ name: 'n2', allocatable: { 'example.com/gpu': 8 } }),
      cordoned,
    ],
    pods: [...pods(6, { requests: gpu }), ...kept(2, { requests: gpu }), there({ requests: gpu })],
    expected: 3,
    measured: 'failure',
  },
  {
    name: 'sends no pod away if the destinations lack an extended resource',
    args: { thresholds: { pods: 30, 'example.com/gpu': 30 }, targetThresholds: { pods: 50, 'example.com/gpu': 50 } },
    nodes: [node({ name: 'n1', allocatable: { pods: 9, 'example.com/gpu': 8 } }), n2, cordoned],
    pods: [...pods(1, { requests: gpu }), there({ requests: {} })],
    expected: 0,
    measured: 'failure',
  },
  {
    name: 'takes the mean of an extended resource over the nodes that have it',
    args: deviation({ pods: 5, 'example.com/gpu': 10 }),
    nodes: [
      node({ name: 'n1', allocatable: { 'example.com/gpu': 8 } }),
      node({ name: 'n2', allocatable: { 'example.com/gpu': 8 } }),
      cordoned,
    ],
    pods: [
      podView({ name: 'p1', requests: gpu }),
      podView({ name: 'p2', nodeName: 'n2', requests: { 'example.com/gpu': 7 } }),
      podView({ name: 'p3', nodeName: 'n2' }),
      ...['p8', 'p9'].map((name) => podView({ name, nodeName: 'n3' })),
    ],
    expected: 1,
    measured: 'failure',
  },
  {
    name: 'sends no pod away if the only other node is cordoned',
    nodes: [n1, node({ name: 'n2', isCordoned: true })],
    pods: [...pods(5), ...kept(3)],
    expected: 0,
  },
  {
    name: 'spares who the other node does not match by node selector',
    nodes: [n1, node({ name: 'n2', labels: { datacenter: 'east' } })],
    pods: [...pods(3), ...pods(2, west, 'west'), ...kept(3)],
    expected: ['p1', 'p2', 'p3'],
  },
  {
    name: 'spares who the other node does not match by node affinity',
    nodes: [n1, node({ name: 'n2', labels: { datacenter: 'east' } })],
    pods: [...pods(3), ...pods(2, westByAffinity, 'west'), ...kept(3), there({ requests: {} })],
    expected: ['p1', 'p2', 'p3'],
  },
  {
    name: 'keeps its distance from the mean',
    args: deviation({ cpu: 5, pods: 5 }),
    pods: [...pods(5), ...kept(3), there()],
    expected: 2,
  },
  {
    name: 'sends no pod away if the destination has no memory left, though memory has no threshold',
    args: deviation({ cpu: 5, pods: 5 }),
    nodes: [node({ name: 'n1' }), n2, cordoned],
    pods: [
      ...pods(5, { requests: { cpu: '400m', memory: 375 } }),
      ...kept(3, { requests: { cpu: '400m', memory: 375 } }),
      there({ requests: { cpu: '400m', memory: 3_000 } }),
    ],
    measuredNodes: { n1: [4_000, 3_000], n2: [4_000, 3_000], n3: [4_000, 3_000] },
    expected: 0,
  },
  {
    name: 'believes the measured usage of pods',
    nodes: [n1, node({ name: 'n2', labels: { datacenter: 'east' } })],
    pods: [...pods(3), ...pods(2, westByAffinity, 'west'), ...kept(3), there({ requests: {} })],
    measuredCpu: 801,
    expected: 3,
    measured: 2,
  },
  {
    name: 'takes no more from a source than evictionLimits.node says',
    args: { evictionLimits: { node: 2 } },
    pods: [...pods(5), ...kept(3), there()],
    expected: 2,
  },
]

/** As the plugin is measured: 3201m of n1, 401m of n2, 11m of n3, and of each pod that is not protected. */
function metricsOf({ pods: all, measuredCpu = 401, measuredNodes }: Row): MetricsView {
  const amounts = (cpu: number, memory: number) => new Map(Object.entries({ cpu, memory: memory * 1_000 }))
  const nodes = measuredNodes ?? { n1: [3_201, 0], n2: [401, 0], n3: [11, 0] }
  const measured = all.filter(({ name }) => !name.startsWith('kept'))
  return {
    nodes: new Map(Object.entries(nodes).map(([name, [cpu, memory]]) => [name, amounts(cpu, memory)])),
    pods: new Map(measured.map(({ namespace, name }) => [`${namespace}/${name}`, amounts(measuredCpu, 0)])),
    prometheus: new Map(),
  }
}

function run({ args, nodes = [n1, n2, cordoned], pods: all }: Row, metrics: MetricsView = noMetrics): string[] {
  const evictor = simpleEvictor({ nodes, pods: all, nodeFit: true })
  return runPlugin(lowNodeUtilization, { ...defaults, ...args }, { nodes, pods: all, evictor, metrics })
}

test.each(rows)('LowNodeUtilization by requests: $name', (row) => {
  const left = run(row)
  expect(typeof row.expected === 'number' ? left.length : left).toEqual(row.expected)
})

test.each(rows)('LowNodeUtilization by metrics: $name', (row) => {
  const args = { ...row.args, metricsUtilization: { source: 'KubernetesMetrics' as const } }
  const leave = () => run({ ...row, args }, metricsOf(row))
  if (row.measured === 'failure') {
    expect(leave).toThrow(expect.objectContaining({ name: 'PluginFailure' }))
    return
  }
  const left = leave()
  const expected = row.measured ?? row.expected
  expect(typeof expected === 'number' ? left.length : left).toEqual(expected)
})

describe('LowNodeUtilization', () => {
  const tainted = node({ name: 'n3', taints: [{ key: 'key', value: 'value', effect: 'NoSchedule' }] })
  const tolerant = podView({ name: 'tolerant', tolerations: [{ key: 'key', value: 'value' }] })
  const byPods = { thresholds: { pods: 20 }, targetThresholds: { pods: 70 } }

  test.each<{ name: string; nodes: NodeView[]; all: PodView[]; outcome?: Outcome; expected: string[] }>([
    {
      name: 'moves a pod to nodes without taints',
      nodes: [node({ name: 'n1' }), n2, node({ name: 'n3' })],
      all: [...pods(8), there()],
      expected: ['p1'],
    },
    {
      name: 'moves no pod to a node whose taint no pod tolerates',
      nodes: [node({ name: 'n1' }), tainted],
      all: [...pods(8), there({ nodeName: 'n3' })],
      expected: [],
    },
    {
      name: 'moves who tolerates the taint',
      nodes: [node({ name: 'n1' }), tainted],
      all: [...pods(7), tolerant, there({ nodeName: 'n3' })],
      expected: ['tolerant'],
    },
    {
      name: 'moves no pod if the total limit is 0',
      nodes: [node({ name: 'n1' }), tainted],
      all: [...pods(7), tolerant, there({ nodeName: 'n3' })],
      outcome: 'totalLimit',
      expected: [],
    },
  ])('$name', ({ nodes, all, outcome, expected }) => {
    const evictor = simpleEvictor({ nodes, pods: all, nodeFit: true })
    const args = { ...defaults, ...byPods }
    expect(runPlugin(lowNodeUtilization, args, { nodes, pods: all, evictor, outcomeOf: () => outcome })).toEqual(
      expected,
    )
  })

  const measuredByQuery = (limit?: number): Partial<LowNodeUtilizationArgs> => ({
    thresholds: { MetricResource: 30 },
    targetThresholds: { MetricResource: 50 },
    metricsUtilization: { source: 'Prometheus', query: 'load' },
    ...(limit === undefined ? {} : { evictionLimits: { node: limit } }),
  })
  const shares = { n1: 0.5695757575757561, n2: 0.4245454545454522, n3: 0.20381818181818104 }

  test.each([
    {
      name: 'takes one pod of each source, as a query tells nothing of pods',
      args: measuredByQuery(),
      shares,
      expected: 1,
    },
    { name: 'takes as many as evictionLimits.node says', args: measuredByQuery(3), shares, expected: 3 },
    {
      name: 'keeps a distance from the mean',
      args: { ...measuredByQuery(2), ...deviation({ MetricResource: 5 }) },
      shares,
      expected: 2,
    },
    {
      name: 'keeps a distance from the mean of an idle, a busy and a full node',
      args: { ...measuredByQuery(), ...deviation({ MetricResource: 10 }) },
      shares: { n1: 1, n2: 0.5, n3: 0 },
      expected: 1,
    },
  ])('by a query to Prometheus $name', ({ args, shares: load, expected }) => {
    const nodes = [n1, n2, node({ name: 'n3' })]
    const all = [...pods(5), ...kept(3), there()]
    const metrics = { ...noMetrics, prometheus: new Map([['load', new Map(Object.entries(load))]]) }
    const evictor = simpleEvictor({ nodes, pods: all })
    const left = runPlugin(lowNodeUtilization, { ...defaults, ...args }, { nodes, pods: all, evictor, metrics })
    expect(left).toHaveLength(expected)
  })

  test.each([
    { name: 'no node is under', nodes: [n1, n2], all: [...pods(8), ...pods(4, { nodeName: 'n2' }, 'q')] },
    { name: 'all nodes are under', nodes: [n1, n2], all: [...pods(1), there()] },
    { name: 'no node is above its target', nodes: [n1, n2], all: [...pods(4), there()] },
    {
      name: 'no more nodes than numberOfNodes are under',
      nodes: [n1, n2],
      all: [...pods(8), there()],
      args: { numberOfNodes: 1 },
    },
    {
      name: 'evictionLimits.node is 0',
      nodes: [n1, n2],
      all: [...pods(8), there()],
      args: { evictionLimits: { node: 0 } },
    },
    { name: 'the pods are over', nodes: [n1, n2], all: [...pods(8, { phase: 'Failed' }), there()] },
  ])('does nothing if $name', ({ nodes, all, args }) => {
    expect(runPlugin(lowNodeUtilization, { ...defaults, ...args }, { nodes, pods: all })).toEqual([])
  })

  test('takes from the node first that uses most, counting bytes more than cpu; equal ones by name', () => {
    const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => node({ name, allocatable: { memory: '1Gi' } }))
    const full = (nodeName: string, memory: number) =>
      podView({ name: `of-${nodeName}`, nodeName, requests: { cpu: '3', memory } })
    const all = [full('n1', 5), full('n2', 5_000), full('n3', 5)]
    expect(runPlugin(lowNodeUtilization, defaults, { nodes, pods: all })[0]).toBe('of-n2')
    expect(
      runPlugin(lowNodeUtilization, defaults, { nodes, pods: all.filter((pod) => pod.nodeName !== 'n2') })[0],
    ).toBe('of-n1')
  })

  test('pods that are over stay out of account', () => {
    const all = [podView({ name: 'done', phase: 'Succeeded', requests: { cpu: 4 } }), ...pods(8), there()]
    expect(runPlugin(lowNodeUtilization, defaults, { nodes: [n1, n2], pods: all })).toEqual(['p1', 'p2', 'p3', 'p4'])
  })

  test('a cordoned node above its target is a source', () => {
    const nodes = [node({ name: 'n1', allocatable: { pods: 9 }, isCordoned: true }), n2]
    expect(runPlugin(lowNodeUtilization, defaults, { nodes, pods: [...pods(8), there()] })).toHaveLength(4)
  })

  test.each<{ name: string; leaving: string[]; alone: string[]; expected: string[] }>([
    {
      name: 'who is leaving already counts first, and no other pod leaves in its place',
      leaving: ['p7', 'p8'],
      alone: [],
      expected: ['p7', 'p8', 'p1', 'p2'],
    },
    {
      name: 'who is to be left alone comes last',
      leaving: [],
      alone: ['p1', 'p2', 'p3'],
      expected: ['p4', 'p5', 'p6', 'p7'],
    },
  ])('$name', ({ leaving, alone, expected }) => {
    const rankOf = ({ name }: PodView) => (leaving.includes(name) ? 0 : alone.includes(name) ? 2 : 1)
    const all = [...pods(8), there()]
    expect(runPlugin(lowNodeUtilization, defaults, { nodes: [n1, n2], pods: all, rankOf })).toEqual(expected)
  })

  test('no pod leaves a source that has reached its target, whatever the cluster', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 9 }), { minLength: 2, maxLength: 6 }),
        (requests) => {
          const nodes = requests.map((_, index) => node({ name: `n${index}` }))
          const all = requests.flatMap((ofNode, index) =>
            ofNode.map((cpu, number) =>
              podView({ name: `p${index}-${number}`, nodeName: `n${index}`, requests: { cpu: `${cpu}m` } }),
            ),
          )
          const left = new Set(runPlugin(lowNodeUtilization, defaults, { nodes, pods: all }))
          for (const [index, ofNode] of requests.entries()) {
            const gone = ofNode
              .map((cpu, number) => ({ cpu, name: `p${index}-${number}` }))
              .filter(({ name }) => left.has(name))
            if (gone.length === 0) continue
            const largest = Math.max(...gone.map(({ cpu }) => cpu))
            const cpu = ofNode.reduce((sum, one) => sum + one, 0) - gone.reduce((sum, one) => sum + one.cpu, 0)
            const isStillAbove = cpu + largest > 2_000 || ofNode.length - gone.length + 1 > 5
            expect(isStillAbove).toBe(true)
          }
        },
      ),
    )
  })
})
