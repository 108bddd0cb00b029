import type { CasePod, CaseUsage, KnownCase } from '../case.ts'
import { twoNodes } from './parts.ts'

// LowNodeUtilization by what nodes and pods use, as metrics.k8s.io says, and not by what they request.

const policy = (args: object = {}) => ({
  top: { metricsProviders: [{ source: 'KubernetesMetrics' }] },
  plugin: 'LowNodeUtilization',
  point: 'balance' as const,
  args: {
    thresholds: { cpu: 20, memory: 50 },
    targetThresholds: { cpu: 50, memory: 80 },
    metricsUtilization: { source: 'KubernetesMetrics' },
    ...args,
  },
})

const priorities = [1, 2, 3, 4, 5, 6, 7, 8]
/** Eight pods on the first node, which leave in the order of their names. */
const pods: readonly CasePod[] = priorities.map((priority) => ({ name: `p${priority}`, node: 'n1', priority }))

const usage = (cpu: string, memory = '100Mi'): CaseUsage => ({ cpu, memory })
const eachUsing = (...containers: readonly Partial<CaseUsage>[]) =>
  Object.fromEntries(priorities.map((priority) => [`p${priority}`, containers]))

export const measuredUtilizationCases: readonly KnownCase[] = [
  {
    name: 'until the first node uses half of its cpu',
    nodes: twoNodes,
    pods,
    metrics: { nodes: { n1: usage('3200m'), n2: usage('100m') }, pods: eachUsing(usage('400m')) },
    policy: policy(),
    expected: ['p1', 'p2', 'p3'],
  },
  {
    name: 'all containers of a pod together, in billionths of a cpu',
    nodes: twoNodes,
    pods,
    metrics: {
      nodes: { n1: usage('3199600001n'), n2: usage('1n') },
      pods: eachUsing(usage('150100000n'), usage('249900001n')),
    },
    policy: policy(),
    expected: ['p1', 'p2', 'p3'],
  },
  {
    name: 'what a pod uses is not rounded',
    nodes: twoNodes,
    pods,
    // 2500.9m are 2501m to upstream, and 2000.8m are left without the first pod: more than half of 4 cpu.
    metrics: { nodes: { n1: usage('2500900000n'), n2: usage('1m') }, pods: eachUsing(usage('500200000n')) },
    policy: policy(),
    expected: ['p1', 'p2'],
  },
  {
    name: 'requests are not looked at',
    nodes: twoNodes,
    pods: pods.map((pod) => Object.assign({ cpu: '500m' }, pod)),
    metrics: { nodes: { n1: usage('100m'), n2: usage('100m') }, pods: eachUsing(usage('10m')) },
    policy: policy(),
    expected: [],
  },
  {
    name: 'pods without metrics, or without all of them, are passed over',
    nodes: twoNodes,
    pods,
    metrics: {
      nodes: { n1: usage('3200m'), n2: usage('100m') },
      pods: { p2: [{ cpu: '400m' }], p3: [usage('400m')], p4: [{ memory: '1Mi' }, usage('1m')], p5: [usage('900m')] },
    },
    policy: policy(),
    expected: ['p3', 'p5'],
  },
  {
    name: 'nothing while a node has no metrics',
    nodes: twoNodes,
    pods,
    metrics: { nodes: { n1: usage('3200m') }, pods: eachUsing(usage('400m')) },
    policy: policy(),
    expected: [],
  },
  {
    name: 'memory of the destination ends it',
    nodes: twoNodes,
    pods,
    metrics: {
      nodes: { n1: usage('3200m', '4Gi'), n2: usage('100m', '4000Mi') },
      pods: eachUsing(usage('100m', '1500Mi')),
    },
    // 80 percent of 8Gi are 6553.6Mi: the second pod takes what is left of it, and more.
    policy: policy(),
    expected: ['p1', 'p2'],
  },
  {
    name: 'the number of pods is counted, not measured',
    nodes: twoNodes.map(({ name }) => ({ name, allocatable: { pods: '10' } })),
    pods,
    metrics: { nodes: { n1: usage('10m'), n2: usage('10m') }, pods: eachUsing(usage('1m')) },
    policy: policy({ thresholds: { pods: 20 }, targetThresholds: { pods: 50 } }),
    expected: ['p1', 'p2', 'p3'],
  },
  {
    name: 'deviation from the mean',
    nodes: twoNodes,
    pods,
    metrics: { nodes: { n1: usage('3200m'), n2: usage('800m') }, pods: eachUsing(usage('400m')) },
    // The mean is 50 percent: from 80 down to 60.
    policy: policy({ useDeviationThresholds: true, thresholds: { cpu: 10 }, targetThresholds: { cpu: 10 } }),
    expected: ['p1', 'p2'],
  },
]
