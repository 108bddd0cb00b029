import type { CaseNode, CasePod, CasePolicy, KnownCase } from '../case.ts'
import { hostname, podsOf, requiresNodes, zone } from './parts.ts'

const policy = (args: object = {}, evictor: object = {}): CasePolicy => ({
  plugin: 'RemovePodsViolatingTopologySpreadConstraint',
  point: 'balance',
  args,
  evictor,
})

const constraint = (maxSkew: number, more: object = {}) => ({
  maxSkew,
  topologyKey: zone,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
})
const constrained = (...constraints: readonly object[]) => ({ topologySpreadConstraints: constraints })

/** One node a zone, with so many pods. */
const zones = (count: number): readonly CaseNode[] =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, labels: { [zone]: `z${index}` } }))

const placed = (sizes: readonly number[], parts: Partial<CasePod> = {}): readonly CasePod[] =>
  sizes.flatMap((size, index) => podsOf(size, webPod(`web-${index}`, `n${index}`, parts)))

function webPod(name: string, node: string, { spec, ...parts }: Partial<CasePod> = {}): CasePod {
  return { name, node, labels: { app: 'web' }, cpu: '100m', spec: { ...constrained(constraint(1)), ...spec }, ...parts }
}

/** `[3, 1]`: three pods in the first zone, one in the second. */
function sized(sizes: readonly number[], expected: number, maxSkew = 1): KnownCase {
  return {
    name: `${sizes.join(', ')} with a skew of ${maxSkew}`,
    nodes: zones(sizes.length),
    pods: placed(sizes, { spec: constrained(constraint(maxSkew)) }),
    policy: policy(),
    compare: 'perOwner',
    expected,
  }
}

const arithmetic: readonly KnownCase[] = [
  sized([2, 1], 0),
  sized([3, 1], 1),
  sized([5, 2], 1),
  sized([4, 0], 2),
  sized([0, 1, 3, 5], 3),
  sized([0, 1, 100], 66),
  { ...sized([8, 7, 0], 5), compare: 'perNode' },
  sized([5, 5, 5], 0),
  sized([2, 3, 4], 1),
  sized([2, 6], 1, 2),
  sized([2, 5], 0, 3),
]

/** One of these zones has little cpu. */
const zonesWith = (count: number, small: number, cpu: string): readonly CaseNode[] =>
  zones(count).with(small, { name: `n${small}`, labels: { [zone]: `z${small}` }, allocatable: { cpu } })

/** Some of them are in a pool, and each can be selected by its name. */
const hosts = (count: number, inPool: number): readonly CaseNode[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `n${index}`,
    labels: { own: `n${index}`, pool: index < inPool ? 'x' : 'y' },
  }))

const byHost = (parts: object = {}) => ({
  spec: { ...constrained(constraint(1, { topologyKey: hostname })), ...parts },
})

const ranked = (priorities: readonly (number | undefined)[], parts: Partial<CasePod> = {}): readonly CasePod[] =>
  priorities.map((priority) => ({
    ...webPod(`priority-${priority ?? 'none'}`, 'n0', parts),
    ...(priority === undefined ? {} : { priority }),
  }))

export const topologySpreadCases: readonly KnownCase[] = [
  ...arithmetic,
  {
    name: 'terminating pods do not count',
    nodes: zones(2),
    pods: [...placed([2, 2]), ...podsOf(2, webPod('going', 'n0', { terminating: true }))],
    policy: policy(),
    expected: [],
  },
  {
    name: 'the small zone has no cpu',
    nodes: zonesWith(3, 0, '200m'),
    pods: placed([2, 3, 4]),
    policy: policy(),
    compare: 'count',
    expected: 0,
  },
  {
    name: 'the small zone has no cpu, and topologyBalanceNodeFit is off',
    nodes: zonesWith(3, 0, '200m'),
    pods: placed([2, 3, 4]),
    policy: policy({ topologyBalanceNodeFit: false }),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'three of six hosts selected, and balanced',
    nodes: hosts(6, 3),
    pods: placed([3, 3, 2], byHost({ nodeSelector: { pool: 'x' } })),
    policy: policy(),
    expected: [],
  },
  {
    name: 'four of six hosts selected, one of them empty',
    nodes: hosts(6, 4),
    pods: placed([3, 3, 2], byHost({ nodeSelector: { pool: 'x' } })),
    policy: policy(),
    compare: 'count',
    expected: 2,
  },
  {
    name: 'three of six hosts selected, and not balanced',
    nodes: hosts(6, 3),
    pods: placed([4, 3, 1], byHost({ nodeSelector: { pool: 'x' } })),
    policy: policy(),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'three of six hosts selected, and the pods of the fullest can only be there',
    nodes: hosts(6, 3),
    pods: [
      ...placed([4], byHost({ nodeSelector: { own: 'n0' } })),
      ...placed([0, 3, 1], byHost({ nodeSelector: { pool: 'x' } })),
    ],
    policy: policy(),
    expected: [],
  },
  {
    name: 'two constraints, one eviction',
    nodes: [
      ...['n0', 'n1', 'n2'].map((name) => ({ name, labels: { [zone]: 'a' } })),
      { name: 'n3', labels: { [zone]: 'b' } },
    ],
    pods: placed([1, 1, 1, 1], {
      spec: constrained(constraint(1), constraint(1, { topologyKey: hostname })),
    }),
    policy: policy(),
    compare: 'count',
    expected: 1,
  },
  {
    name: 'the highest priority goes first, no priority last',
    nodes: zones(2),
    pods: ranked([undefined, 0, 50, 100, 1_000]),
    policy: policy(),
    expected: ['priority-100', 'priority-1000'],
  },
  {
    name: 'pods with a node selector stay before others',
    nodes: ['n0', 'n1'].map((name) => ({ name, labels: { [zone]: name, pool: 'x' } })),
    pods: [
      ...ranked([1_000, 900], { spec: { nodeSelector: { pool: 'x' } } }),
      ...ranked([10, 20, 30], { spec: { nodeSelector: undefined } }),
    ],
    policy: policy(),
    compare: 'count',
    expected: 2,
  },
  {
    name: 'pods that fit elsewhere go before those that do not',
    nodes: zonesWith(2, 1, '150m'),
    pods: [...ranked([1_000, 900], { cpu: '200m' }), ...ranked([1, 2])],
    policy: policy(),
    expected: ['priority-1', 'priority-2'],
  },
  {
    name: 'a pod that fits nowhere counts as moved, and stays',
    nodes: zonesWith(2, 1, '150m'),
    pods: [...ranked([1_000, 900, 800], { cpu: '200m' }), ...ranked([1])],
    policy: policy(),
    expected: ['priority-1'],
  },
  {
    name: 'protected pods are in no domain',
    nodes: zones(2),
    pods: [...placed([3, 1]), ...podsOf(2, webPod('bare', 'n1', { owners: [] }))],
    policy: policy(),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'ScheduleAnyway only if asked for',
    nodes: zones(2),
    pods: placed([4], { spec: constrained(constraint(1, { whenUnsatisfiable: 'ScheduleAnyway' })) }),
    policy: policy(),
    expected: [],
  },
  {
    name: 'ScheduleAnyway',
    nodes: zones(2),
    pods: placed([4], { spec: constrained(constraint(1, { whenUnsatisfiable: 'ScheduleAnyway' })) }),
    policy: policy({ constraints: ['DoNotSchedule', 'ScheduleAnyway'] }),
    compare: 'count',
    expected: 2,
  },
  {
    name: 'tainted nodes are domains unless the constraint honors taints',
    nodes: [...zones(2), { name: 'n2', labels: { [zone]: 'z2' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }],
    pods: placed([2, 2]),
    policy: policy(),
    expected: [],
  },
  {
    name: 'tainted nodes are no domains if the constraint honors taints',
    nodes: [...zones(2), { name: 'n2', labels: { [zone]: 'z2' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }],
    pods: placed([4, 1], { spec: constrained(constraint(1, { nodeTaintsPolicy: 'Honor' })) }),
    policy: policy(),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'nodes that affinity excludes are no domains',
    nodes: zones(3),
    pods: placed([3, 2], { spec: requiresNodes(zone, 'z0', 'z1') }),
    policy: policy(),
    expected: [],
  },
  {
    name: 'nodes that affinity excludes are domains under Ignore',
    nodes: zones(3),
    pods: placed([3, 2], {
      spec: { ...constrained(constraint(1, { nodeAffinityPolicy: 'Ignore' })), ...requiresNodes(zone, 'z0', 'z1') },
    }),
    policy: policy({ topologyBalanceNodeFit: false }),
    compare: 'count',
    expected: 1,
  },
  {
    name: 'match label keys make a constraint for each value',
    nodes: zones(2),
    pods: ['1', '2'].flatMap((hash, index) =>
      podsOf(3, {
        ...webPod(`hash-${hash}`, `n${index}`),
        labels: { app: 'web', hash },
        spec: constrained(constraint(1, { matchLabelKeys: ['hash'] })),
      }),
    ),
    policy: policy(),
    compare: 'perNode',
    expected: 2,
  },
  {
    name: 'no selector selects nothing',
    nodes: zones(2),
    pods: placed([4], { spec: constrained(constraint(1, { labelSelector: undefined })) }),
    policy: policy(),
    expected: [],
  },
  {
    name: 'nodes without the key are in no domain',
    nodes: [...zones(2), { name: 'n2' }],
    pods: placed([3, 1, 4]),
    policy: policy(),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'pods of the other namespace do not count',
    nodes: zones(2),
    pods: [...placed([3, 1]), ...placed([1, 3], { other: true })],
    policy: policy(),
    compare: 'perNode',
    expected: 2,
  },
  {
    name: 'labels of the args',
    nodes: zones(2),
    pods: [...placed([3, 1]), ...placed([1, 3], { other: true, labels: { app: 'web', tier: 'x' } })],
    policy: policy({ labelSelector: { matchLabels: { tier: 'x' } } }),
    compare: 'perNode',
    expected: 1,
  },
  {
    name: 'minDomains is not looked at',
    nodes: zones(2),
    pods: placed([2, 2], { spec: constrained(constraint(1, { minDomains: 5 })) }),
    policy: policy(),
    expected: [],
  },
]
