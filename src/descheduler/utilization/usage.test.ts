import { expect, test } from 'vitest'
import { noMetrics, nodeView, nowMs, openEvictor, podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import type { PluginWorld } from '../plugin.ts'
import type { MetricsUtilization, Thresholds } from '../policy/policy.ts'
import type { MetricsView } from '../view.ts'
import { sizeOfUsage, usageSourceOf } from './usage.ts'

const node = nodeView({ name: 'n1' })
const pod = podView({ name: 'web', requests: { cpu: '250m', gpu: 1 } })
const state = new CycleState({ pods: [pod, podView({ name: 'done', phase: 'Succeeded', requests: { cpu: 1 } })] })
const amounts = (of: Readonly<Record<string, number>>) => new Map(Object.entries(of))

function sourceOf(
  thresholds: Thresholds,
  metricsUtilization?: MetricsUtilization,
  metrics: Partial<MetricsView> = noMetrics,
) {
  const world: PluginWorld = {
    nowMs,
    nodes: [node],
    podsOn: (name) => state.podsOn(name),
    usedOn: (name) => state.usedOn(name),
    namespaces: new Map(),
    metrics: { ...noMetrics, ...metrics },
    evictor: openEvictor,
    rankOf: () => 1,
  }
  return usageSourceOf(world, metricsUtilization === undefined ? { thresholds } : { thresholds, metricsUtilization })
}

test('requests count for cpu, memory, pods and what has a threshold', () => {
  const usage = sourceOf({ gpu: 50 })
  expect(Object.fromEntries(usage.usedOn(node))).toEqual({ cpu: 250, memory: 0, pods: 1_000, gpu: 1_000 })
  expect(usage.usedBy(pod)).toBe(pod.template.requests)
})

const kubernetes = { source: 'KubernetesMetrics' } as const
const prometheus = { source: 'Prometheus', query: 'load' } as const
const measured = { nodes: new Map([['n1', amounts({ cpu: 300, memory: 7_000 })]]) }

test('measured are cpu and memory; pods are counted', () => {
  const usage = sourceOf({ cpu: 50 }, kubernetes, {
    ...measured,
    pods: new Map([['default/web', amounts({ cpu: 123 })]]),
  })
  expect(Object.fromEntries(usage.usedOn(node))).toEqual({ cpu: 300, memory: 7_000, pods: 1_000 })
  expect(usage.usedBy(pod)).toEqual(amounts({ cpu: 123 }))
  expect(usage.usedBy({ ...pod, namespace: 'other' })).toBe('unknown')
})

test.each([
  { share: 0.57, expected: 56_000 },
  { share: 0.5695757575757561, expected: 56_000 },
  { share: 1, expected: 100_000 },
  { share: 0.009, expected: 0 },
])('Prometheus says $share: that is $expected thousandths of a percent', ({ share, expected }) => {
  const usage = sourceOf({ MetricResource: 50 }, prometheus, {
    prometheus: new Map([['load', new Map([['n1', share]])]]),
  })
  expect(Object.fromEntries(usage.usedOn(node))).toEqual({ MetricResource: expected })
  expect(usage.resources).toEqual(['MetricResource'])
  expect(usage.usedBy(pod)).toBe('unmeasurable')
})

test.each([
  { name: 'a node was never measured', source: kubernetes, metrics: {}, expected: 'Node n1 has not been measured yet' },
  {
    name: 'the metrics do not tell of a resource',
    source: kubernetes,
    metrics: measured,
    expected: 'The metrics of node n1 do not tell of gpu',
  },
  { name: 'a query was not asked', source: prometheus, metrics: {}, expected: 'Prometheus has not been asked load' },
  {
    name: 'a query failed',
    source: prometheus,
    metrics: { prometheus: new Map([['load', new Error('connection refused')]]) },
    expected: 'Prometheus did not answer load: connection refused',
  },
  {
    name: 'a query does not tell of a node',
    source: prometheus,
    metrics: { prometheus: new Map([['load', new Map([['n2', 0.5]])]]) },
    expected: 'Prometheus has no sample for node n1 in load',
  },
])('the plugin fails if $name', ({ source, metrics, expected }) => {
  const usage = sourceOf({ gpu: 50 }, source, metrics)
  expect(() => usage.usedOn(node)).toThrow(expect.objectContaining({ name: 'PluginFailure', message: expected }))
})

test.each([
  {
    name: 'cpu in thousandths, bytes and pods',
    used: { cpu: 1_730, memory: 3_000_000, pods: 25_000 },
    expected: 4_755,
  },
  { name: 'fractions of bytes rounded up', used: { memory: 1_001 }, expected: 2 },
  { name: 'nothing', used: {}, expected: 0 },
])('a node ranks by $name', ({ used, expected }) => {
  expect(sizeOfUsage(amounts(used))).toBe(expected)
})
