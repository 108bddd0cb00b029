import type { CaseNode, CasePod, CasePolicy, KnownCase } from '../case.ts'
import { avoids, deschedulerAnnotation, hostname, noSchedule, requiresNodes, twoNodes, zone } from './parts.ts'

// Every pod is wanted by PodLifeTime. It goes if it fits another node.

const policy: CasePolicy = {
  evictor: { nodeFit: true },
  plugin: 'PodLifeTime',
  args: { maxPodLifeTimeSeconds: 60, labelSelector: { matchLabels: { app: 'mover' } } },
}

const mover = (name: string, parts: Partial<CasePod> = {}): CasePod => ({
  name,
  node: 'n1',
  labels: { app: 'mover' },
  ...parts,
})
const resident = (name: string, parts: Partial<CasePod> = {}): CasePod => ({
  name,
  node: 'n2',
  labels: { app: 'resident' },
  ...parts,
})

const beside = (second: Partial<CaseNode>): readonly CaseNode[] => [{ name: 'n1' }, { name: 'n2', ...second }]

export const nodeFitCases: readonly KnownCase[] = [
  { name: 'fits an empty node', nodes: twoNodes, pods: [mover('a')], policy, expected: ['a'] },
  {
    name: 'not a cordoned one, whatever it tolerates and however it is annotated',
    nodes: beside({ cordoned: true }),
    pods: [mover('a', { tolerations: [{ operator: 'Exists' }], annotations: deschedulerAnnotation('evict') })],
    policy,
    expected: [],
  },
  {
    name: 'not one that is not ready',
    nodes: [...twoNodes.slice(0, 1), { name: 'n2', ready: false }, { name: 'n3', cordoned: true }],
    pods: [mover('a')],
    policy,
    expected: [],
  },
  {
    name: 'one without the condition Ready is ready',
    nodes: beside({ ready: 'unknown' }),
    pods: [mover('a')],
    policy,
    expected: ['a'],
  },
  {
    name: 'one that only DefaultEvictor selects is enough',
    nodes: [{ name: 'n1' }, { name: 'n2', cordoned: true }, { name: 'n3', unselected: true }],
    pods: [mover('a'), { ...mover('out-of-sight'), node: 'n3' }],
    policy,
    expected: ['a'],
  },
  {
    name: "DefaultEvictor's own nodeSelector decides",
    nodes: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3', labels: { pool: 'x' }, taints: [noSchedule('k')] }],
    pods: [mover('a'), mover('b', { tolerations: [{ key: 'k', operator: 'Exists' }] })],
    policy: { ...policy, evictor: { nodeFit: true, nodeSelector: 'pool=x' } },
    expected: ['b'],
  },
  {
    name: 'nodeSelector and required affinity of the pod',
    nodes: beside({ labels: { disk: 'ssd' } }),
    pods: [
      mover('ssd', { spec: { nodeSelector: { disk: 'ssd' } } }),
      mover('hdd', { spec: { nodeSelector: { disk: 'hdd' } } }),
      mover('needs-ssd', { spec: requiresNodes('disk', 'ssd', 'nvme') }),
      mover('needs-hdd', { spec: requiresNodes('disk', 'hdd') }),
    ],
    policy,
    expected: ['needs-ssd', 'ssd'],
  },
  {
    name: 'NoSchedule and NoExecute taints keep away, PreferNoSchedule does not',
    nodes: [
      { name: 'n1' },
      { name: 'n2', taints: [noSchedule('k', 'v'), { key: 'k', value: 'v', effect: 'NoExecute' }] },
    ],
    pods: [
      mover('none'),
      mover('one-effect', { tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] }),
      mover('every-effect', { tolerations: [{ key: 'k', operator: 'Equal', value: 'v' }] }),
      mover('wrong-value', { tolerations: [{ key: 'k', operator: 'Equal', value: 'w' }] }),
      mover('exists', { tolerations: [{ key: 'k', operator: 'Exists' }] }),
    ],
    policy,
    expected: ['every-effect', 'exists'],
  },
  {
    name: 'PreferNoSchedule keeps no pod away',
    nodes: beside({ taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }),
    pods: [mover('a')],
    policy,
    expected: ['a'],
  },
  {
    name: 'tolerations compare numbers',
    nodes: beside({ taints: [noSchedule('level', '5')] }),
    pods: [
      mover('below-9', { tolerations: [{ key: 'level', operator: 'Lt', value: '9' }] }),
      mover('below-5', { tolerations: [{ key: 'level', operator: 'Lt', value: '5' }] }),
      mover('above-3', { tolerations: [{ key: 'level', operator: 'Gt', value: '3' }] }),
      mover('above-5', { tolerations: [{ key: 'level', operator: 'Gt', value: '5' }] }),
    ],
    policy,
    expected: ['above-3', 'below-9'],
  },
  {
    name: 'cpu, memory and other resources must be free',
    nodes: beside({ allocatable: { cpu: '1', memory: '1Gi', 'example.com/gpu': '1' } }),
    pods: [
      resident('r', { cpu: '400m', memory: '512Mi' }),
      mover('fits', { cpu: '600m', memory: '512Mi' }),
      mover('cpu', { cpu: '601m' }),
      mover('memory', { memory: '513Mi' }),
      mover('gpu', { limits: { 'example.com/gpu': '1' } }),
      mover('gpus', { limits: { 'example.com/gpu': '2' } }),
      mover('disk', { limits: { 'example.com/disk': '1' } }),
    ],
    policy,
    expected: ['fits', 'gpu'],
  },
  {
    name: 'requests of pods that are over do not count',
    nodes: beside({ allocatable: { cpu: '1' } }),
    pods: [resident('over', { cpu: '900m', phase: 'Succeeded' }), mover('a', { cpu: '500m' })],
    policy,
    expected: ['a'],
  },
  {
    name: 'one slot for a pod must be free',
    nodes: beside({ allocatable: { pods: '2' } }),
    pods: [resident('r1'), resident('r2'), mover('a')],
    policy,
    expected: [],
  },
  {
    name: 'the largest init container, sidecars, overhead and requests of the pod as a whole',
    nodes: beside({ allocatable: { cpu: '1' } }),
    pods: [
      mover('init', { cpu: '100m', spec: initContainers([{ cpu: '1100m' }]) }),
      mover('small-init', { cpu: '900m', spec: initContainers([{ cpu: '1' }]) }),
      mover('sidecar', { cpu: '600m', spec: initContainers([{ cpu: '500m', sidecar: true }]) }),
      mover('sidecar-then-init', {
        cpu: '100m',
        spec: initContainers([{ cpu: '500m', sidecar: true }, { cpu: '600m' }]),
      }),
      mover('init-then-sidecar', {
        cpu: '100m',
        spec: initContainers([{ cpu: '600m' }, { cpu: '500m', sidecar: true }]),
      }),
      mover('overhead', { cpu: '900m', spec: { overhead: { cpu: '200m' } } }),
      mover('whole', { cpu: '2', spec: { resources: { requests: { cpu: '500m' } } } }),
      mover('whole-is-more', { cpu: '100m', spec: { resources: { requests: { cpu: '1100m' } } } }),
    ],
    policy,
    expected: ['init-then-sidecar', 'small-init', 'whole'],
  },
  {
    name: 'its own anti-affinity keeps it away, by the pods of that node alone',
    nodes: [
      { name: 'n1', labels: { [zone]: 'a' } },
      { name: 'n2', labels: { [zone]: 'b' } },
      { name: 'n3', labels: { [zone]: 'b' }, taints: [noSchedule('k')] },
    ],
    pods: [
      resident('r', { labels: { app: 'r' } }),
      resident('s', { labels: { app: 's' }, node: 'n3' }),
      mover('by-host', { spec: avoids('r') }),
      mover('by-zone', { spec: avoids('r', zone) }),
      mover('of-the-zone', { spec: avoids('s', zone) }),
      mover('unknown-key', { spec: avoids('r', 'rack') }),
      mover('elsewhere', { other: true, spec: avoids('r') }),
      mover('by-name', { other: true, spec: avoids('r', hostname, { namespaces: ['NS'] }) }),
      mover('by-selector', { other: true, spec: avoids('r', hostname, { namespaceSelector: {} }) }),
    ],
    policy,
    expected: ['by-selector', 'elsewhere', 'of-the-zone', 'unknown-key'],
  },
  {
    name: 'anti-affinity of the others does not count',
    nodes: twoNodes,
    pods: [resident('r', { spec: avoids('mover') }), mover('a')],
    policy,
    expected: ['a'],
  },
]

interface Init {
  readonly cpu: string
  readonly sidecar?: boolean
}

function initContainers(all: readonly Init[]) {
  return {
    initContainers: all.map(({ cpu, sidecar = false }, index) => {
      const container = { name: `i${index}`, image: 'init:1', resources: { requests: { cpu } } }
      return sidecar ? { ...container, restartPolicy: 'Always' } : container
    }),
  }
}
