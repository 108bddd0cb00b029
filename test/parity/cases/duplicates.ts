import type { CaseNode, CasePod, CasePolicy, KnownCase } from '../case.ts'
import { noSchedule, podsOf, requiresNodes, zone } from './parts.ts'

// Which of the duplicates is the original is random upstream, so pods are counted by node.

const policy = (args: object = {}, evictor: object = {}): CasePolicy => ({
  plugin: 'RemoveDuplicates',
  point: 'balance',
  args,
  evictor,
})

const nodes = (count: number, parts: Partial<CaseNode> = {}): readonly CaseNode[] =>
  Array.from({ length: count }, (_, index) => Object.assign({ name: `n${index + 1}` }, parts))

const spread = (counts: readonly number[], parts: Partial<CasePod> = {}): readonly CasePod[] =>
  counts.flatMap((count, index) => podsOf(count, { name: `web-n${index + 1}`, node: `n${index + 1}`, ...parts }))

interface Row {
  readonly name: string
  readonly nodes: readonly CaseNode[]
  readonly pods: readonly CasePod[]
  readonly expected: number
  readonly args?: object
  readonly evictor?: object
}

const rows: readonly Row[] = [
  { name: 'five, three and one on three nodes', nodes: nodes(3), pods: spread([5, 3, 1]), expected: 2 },
  {
    name: 'five and three beside a node of another policy',
    nodes: [...nodes(2), { name: 'n3', unselected: true }],
    pods: spread([5, 3, 1]),
    expected: 1,
  },
  {
    name: 'five, three and one beside three tainted nodes',
    nodes: [...nodes(3), ...['t1', 't2', 't3'].map((name) => ({ name, taints: [noSchedule('k')] }))],
    pods: spread([5, 3, 1]),
    expected: 2,
  },
  {
    name: 'a node selector of no node',
    nodes: nodes(3),
    pods: spread([5, 3, 1], { spec: { nodeSelector: { no: 'where' } } }),
    expected: 0,
  },
  { name: 'two on one of three nodes', nodes: nodes(3), pods: spread([2]), expected: 1 },
  {
    name: 'cordoned nodes count',
    nodes: [...nodes(1), { name: 'n2', cordoned: true }],
    pods: spread([4]),
    expected: 2,
  },
  {
    name: 'other images are no duplicates',
    nodes: nodes(3),
    pods: ['foo', 'bar', 'baz', 'foo'].map((image, index) => ({ name: `p${index}`, node: 'n1', images: [image] })),
    expected: 1,
  },
  {
    name: 'the order of images does not matter',
    nodes: nodes(2),
    pods: [
      { name: 'a', node: 'n1', images: ['one', 'two'] },
      { name: 'b', node: 'n1', images: ['two', 'one'] },
    ],
    expected: 1,
  },
  {
    name: 'other owners are no duplicates',
    nodes: nodes(2),
    pods: ['ReplicaSet/a', 'ReplicaSet/b', 'Job/a'].map((owner, index) => ({
      name: `p${index}`,
      node: 'n1',
      owners: [owner],
    })),
    expected: 0,
  },
  {
    name: 'pods with the same two owners leave once',
    nodes: nodes(2),
    pods: spread([6], { owners: ['ReplicaSet/a', 'Job/b'] }),
    expected: 3,
  },
  {
    name: 'other namespaces are no duplicates',
    nodes: nodes(2),
    pods: [
      { name: 'a', node: 'n1' },
      { name: 'b', node: 'n1', other: true },
    ],
    expected: 0,
  },
  {
    name: 'excluded owner kinds',
    nodes: nodes(2),
    pods: [...spread([4]), ...podsOf(4, { name: 'job', node: 'n1', owners: ['Job/once'] })],
    args: { excludeOwnerKinds: ['Job'] },
    expected: 2,
  },
  {
    name: 'namespaces to exclude',
    nodes: nodes(2),
    pods: [...spread([4]), ...podsOf(4, { name: 'other', node: 'n1', other: true })],
    args: { namespaces: { exclude: ['NS-other'] } },
    expected: 2,
  },
  {
    name: 'protected pods do not count',
    nodes: nodes(2),
    pods: [...spread([3]), ...podsOf(3, { name: 'critical', node: 'n1', priority: 2_000_001_000 })],
    expected: 1,
  },
  {
    name: 'pods that are over do not count',
    nodes: nodes(2),
    pods: [...spread([3]), ...podsOf(3, { name: 'over', node: 'n2', phase: 'Succeeded' })],
    expected: 1,
  },
  {
    name: 'pods that fit no other node do not count',
    nodes: nodes(2, { allocatable: { cpu: '1' } }),
    pods: [...spread([3], { cpu: '100m' }), ...podsOf(3, { name: 'large', node: 'n1', cpu: '2' })],
    evictor: { nodeFit: true },
    expected: 1,
  },
  {
    name: 'only nodes that affinity allows',
    nodes: ['a', 'a', 'b', 'b'].map((value, index) => ({ name: `n${index + 1}`, labels: { [zone]: value } })),
    pods: spread([6], { spec: requiresNodes(zone, 'a') }),
    expected: 3,
  },
  {
    name: 'one allowed node is none',
    nodes: ['a', 'b', 'b'].map((value, index) => ({ name: `n${index + 1}`, labels: { [zone]: value } })),
    pods: spread([6], { spec: requiresNodes(zone, 'a') }),
    expected: 0,
  },
  {
    name: 'targets of duplicates with different tolerations together',
    nodes: [...nodes(2), { name: 't1', taints: [noSchedule('k')] }, { name: 't2', taints: [noSchedule('k')] }],
    pods: [
      ...spread([4]),
      ...podsOf(4, { name: 'tolerant', node: 'n1', tolerations: [{ key: 'k', operator: 'Exists' }] }),
    ],
    expected: 6,
  },
]

const caseOf = ({ args, evictor, ...rest }: Row): KnownCase => ({
  ...rest,
  compare: 'perNode',
  policy: policy(args, evictor),
})

export const duplicatesCases: readonly KnownCase[] = rows.map(caseOf)
