import type { CaseNode, CasePod, KnownCase } from '../case.ts'
import { deschedulerAnnotation, podsOf } from './parts.ts'

const low = (args: object, evictor: object = { nodeFit: true }) => ({
  plugin: 'LowNodeUtilization',
  point: 'balance' as const,
  args: { thresholds: { cpu: 30, pods: 30 }, targetThresholds: { cpu: 50, pods: 50 }, ...args },
  evictor,
})
const high = (args: object = {}, evictor: object = { nodeFit: true }) => ({
  plugin: 'HighNodeUtilization',
  point: 'balance' as const,
  args: { thresholds: { cpu: 30, pods: 30 }, ...args },
  evictor,
})

const nodesFor: readonly CaseNode[] = [
  { name: 'n1', allocatable: { cpu: '4', memory: '3Gi', pods: '9' } },
  { name: 'n2', allocatable: { cpu: '4', memory: '3Gi', pods: '10' } },
  { name: 'n3', allocatable: { cpu: '4', memory: '3Gi', pods: '10' }, cordoned: true },
]
const pod = (name: string, node: string, parts: Partial<CasePod> = {}): CasePod => ({
  name,
  node,
  cpu: '400m',
  ...parts,
})

const crowded: readonly CasePod[] = [
  ...podsOf(5, pod('web', 'n1')),
  pod('daemon', 'n1', { owners: ['DaemonSet/agent'] }),
  pod('local', 'n1', { spec: { volumes: [{ name: 'v', emptyDir: {} }] } }),
  pod('critical', 'n1', { priority: 2_000_001_000 }),
  pod('resident', 'n2'),
]

/** Eight pods of different rank on a node that is to lose four. */
const ranks: readonly CasePod[] = [
  pod('p-1000', 'n1', { priority: 1_000 }),
  pod('p-100', 'n1', { priority: 100 }),
  pod('p-none', 'n1'),
  pod('p-0', 'n1', { priority: 0 }),
  pod('best-effort', 'n1', { priority: 50, status: { qosClass: 'BestEffort' } }),
  pod('burstable', 'n1', { priority: 50 }),
  pod('guaranteed', 'n1', { priority: 50, status: { qosClass: 'Guaranteed' } }),
  pod('prefers', 'n1', { priority: 0, annotations: deschedulerAnnotation('prefer-no-eviction') }),
]

const lowRows: readonly KnownCase[] = [
  { name: 'four of five leave', nodes: nodesFor, pods: crowded, policy: low({}), compare: 'perNode', expected: 4 },
  {
    name: 'evictionLimits.node',
    nodes: nodesFor,
    pods: crowded,
    policy: low({ evictionLimits: { node: 2 } }),
    compare: 'perNode',
    expected: 2,
  },
  {
    name: 'deviation from the mean',
    nodes: nodesFor,
    pods: crowded,
    policy: low({
      useDeviationThresholds: true,
      thresholds: { cpu: 5, pods: 5 },
      targetThresholds: { cpu: 5, pods: 5 },
    }),
    compare: 'perNode',
    expected: 2,
  },
  {
    name: 'by priority, quality of service and preference',
    nodes: nodesFor,
    pods: ranks,
    policy: low({}),
    expected: ['best-effort', 'p-0', 'p-none', 'prefers'],
  },
  {
    name: 'nothing if no node is under',
    nodes: nodesFor.slice(0, 2),
    pods: [...podsOf(6, pod('a', 'n1')), ...podsOf(4, pod('b', 'n2'))],
    policy: low({}),
    expected: [],
  },
  {
    name: 'nothing if no more nodes are under than numberOfNodes',
    nodes: nodesFor,
    pods: crowded,
    policy: low({ numberOfNodes: 1 }),
    expected: [],
  },
  {
    name: 'a cordoned node is not under',
    nodes: nodesFor.filter(({ name }) => name !== 'n2'),
    pods: podsOf(6, pod('a', 'n1')),
    policy: low({}),
    expected: [],
  },
  {
    name: 'excluded namespaces stay',
    nodes: nodesFor,
    pods: [...podsOf(4, pod('a', 'n1')), ...podsOf(4, pod('b', 'n1', { other: true }))],
    policy: low({ evictableNamespaces: { exclude: ['NS-other'] } }),
    compare: 'perNamespace',
    expected: 4,
  },
  {
    name: 'only pods that tolerate every taint of a destination',
    nodes: nodesFor.map((node) =>
      node.name === 'n2' ? { ...node, taints: [{ key: 'k', effect: 'PreferNoSchedule' as const }] } : node,
    ),
    pods: [
      ...podsOf(4, pod('plain', 'n1')),
      ...podsOf(4, pod('tolerant', 'n1', { tolerations: [{ key: 'k', operator: 'Exists' }] })),
    ],
    policy: low({}),
    compare: 'count',
    expected: 4,
  },
  {
    name: 'one toleration is too few for two taints',
    nodes: nodesFor.map((node) =>
      node.name === 'n2'
        ? {
            ...node,
            taints: [
              { key: 'k', effect: 'NoSchedule' as const },
              { key: 'l', effect: 'NoSchedule' as const },
            ],
          }
        : node,
    ),
    pods: podsOf(8, pod('tolerant', 'n1', { tolerations: [{ operator: 'Exists' }] })),
    policy: low({}),
    expected: [],
  },
  {
    name: 'room of the destinations ends it',
    nodes: [
      { name: 'n1', allocatable: { cpu: '4', pods: '20' } },
      { name: 'n2', allocatable: { cpu: '1', pods: '20' } },
    ],
    pods: [...podsOf(9, pod('web', 'n1')), pod('small', 'n2', { cpu: '100m' })],
    // 500m of n2 may be used, 100m are: one of 400m leaves nothing.
    policy: low({ thresholds: { cpu: 30 }, targetThresholds: { cpu: 50 } }),
    compare: 'count',
    expected: 1,
  },
  {
    name: 'an extended resource',
    nodes: ['n1', 'n2'].map((name) => ({ name, allocatable: { 'example.com/gpu': '8' } })),
    pods: podsOf(8, { name: 'gpu', node: 'n1', limits: { 'example.com/gpu': '1' } }),
    policy: low({ thresholds: { 'example.com/gpu': 20 }, targetThresholds: { 'example.com/gpu': 50 } }),
    compare: 'count',
    expected: 4,
  },
  {
    name: 'a resource that no node has',
    nodes: ['n1', 'n2'].map((name) => ({ name })),
    pods: podsOf(9, pod('a', 'n1')),
    policy: low({
      thresholds: { cpu: 20, 'example.com/gpu': 20 },
      targetThresholds: { cpu: 50, 'example.com/gpu': 50 },
    }),
    expected: [],
  },
]

const highRows: readonly KnownCase[] = [
  {
    name: 'nodes below the thresholds are emptied, cordoned ones too',
    nodes: [1, 2, 3].map((index) => ({
      name: `n${index}`,
      allocatable: { cpu: '4', memory: '3Gi', pods: '10' },
      cordoned: index === 3,
    })),
    pods: [
      pod('first', 'n1'),
      pod('critical', 'n1', { priority: 2_000_001_000 }),
      ...podsOf(4, pod('middle', 'n2')),
      pod('third', 'n3'),
    ],
    policy: high(),
    expected: ['first', 'third'],
  },
  {
    name: 'nothing if all nodes are below',
    nodes: nodesFor,
    pods: [pod('a', 'n1'), pod('b', 'n2')],
    policy: high(),
    expected: [],
  },
  {
    name: 'nothing if no more nodes are below than numberOfNodes',
    nodes: nodesFor.slice(0, 2),
    pods: [pod('a', 'n1'), ...podsOf(6, pod('b', 'n2'))],
    policy: high({ numberOfNodes: 1 }),
    expected: [],
  },
  {
    name: 'room of the destinations ends it, lowest rank first',
    nodes: [
      { name: 'n1', allocatable: { cpu: '8' } },
      { name: 'n2', allocatable: { cpu: '2' } },
    ],
    pods: [
      pod('p-100', 'n1', { priority: 100 }),
      pod('p-50', 'n1', { priority: 50 }),
      pod('p-10', 'n1', { priority: 10 }),
      ...podsOf(3, pod('full', 'n2')),
    ],
    // 800m are free: the second one takes the rest.
    policy: high({ thresholds: { cpu: 30 } }, {}),
    expected: ['p-10', 'p-50'],
  },
  {
    name: 'room of a cordoned node does not count',
    nodes: [
      { name: 'n1', allocatable: { cpu: '8' } },
      { name: 'n2', allocatable: { cpu: '2' } },
      { name: 'n3', allocatable: { cpu: '8' }, cordoned: true },
    ],
    pods: [
      ...[1, 2, 3].map((priority) => pod(`p-${priority}`, 'n1', { priority })),
      ...podsOf(4, pod('full', 'n2')),
      ...podsOf(8, pod('cordoned', 'n3')),
    ],
    policy: high({ thresholds: { cpu: 30 } }, {}),
    expected: ['p-1'],
  },
  {
    name: 'only pods that request a threshold resource',
    nodes: nodesFor.slice(0, 2),
    pods: [
      pod('cpu', 'n1'),
      { name: 'memory', node: 'n1', memory: '100Mi' },
      { name: 'nothing', node: 'n1' },
      ...podsOf(6, pod('b', 'n2')),
    ],
    policy: high({ thresholds: { cpu: 30 }, evictionModes: ['OnlyThresholdingResources'] }),
    expected: ['cpu'],
  },
  {
    name: 'excluded namespaces stay',
    nodes: nodesFor.slice(0, 2),
    pods: [pod('a', 'n1'), pod('b', 'n1', { other: true }), ...podsOf(6, pod('c', 'n2'))],
    policy: high({ evictableNamespaces: { exclude: ['NS'] } }),
    expected: ['b'],
  },
]

export const lowNodeUtilizationCases = lowRows
export const highNodeUtilizationCases = highRows
