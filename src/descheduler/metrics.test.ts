import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import type { Asked } from './asking.ts'
import { noDeschedulerMetrics, prometheusDeschedulerMetrics, type MetricsParts } from './metrics.ts'
import type { Mode } from './mode.ts'
import { StrategyRecord } from './report/report.ts'
import type { LimitReached } from './cycle/tally.ts'

const strategy = { profile: 'default', strategy: 'PodLifeTime' } as const
const pod = podView({ name: 'web-0', namespace: 'shop', nodeName: 'n1' })
const evictOnly = podView({ name: 'vm-0', namespace: 'shop', nodeName: 'n1', marks: { requestEvictOnly: true } })
const requested: Asked = { kind: 'requested' }
const promised: Asked = { kind: 'promised' }
const refused: Asked = { kind: 'refused', reason: 'not now' }

function open(parts: Partial<MetricsParts> = {}) {
  const registry = new Registry()
  const metrics = prometheusDeschedulerMetrics(registry, {
    mode: 'evacuate',
    version: '0.2.0',
    inProgress: () => [],
    ...parts,
  })
  /** The lines of one metric, or of all that begin so. */
  const lines = async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
  return { metrics, lines }
}

/** Which results each of the two counters has. */
async function results(lines: (name: string) => Promise<string[]>) {
  const of = async (name: string) =>
    (await lines(`${name}{`)).map((line) => {
      expect(line).toContain(',strategy="PodLifeTime",profile="default",namespace="shop",node="n1"} 1')
      return /result="(?<result>[^"]*)"/u.exec(line)?.groups?.['result']
    })
  return { evicted: await of('descheduler_pods_evicted_total'), evacuations: await of('descheduler_pod_evacuations') }
}

test.each([
  { name: 'an eviction', mode: 'evict', of: pod, asked: requested, evicted: ['success'], evacuations: [] },
  { name: 'a refused eviction', mode: 'evict', of: pod, asked: refused, evicted: ['error'], evacuations: [] },
  { name: 'a promise', mode: 'evict', of: evictOnly, asked: promised, evicted: ['background'], evacuations: [] },
  {
    name: 'an Evacuation, which upstream would call one in the background',
    mode: 'evacuate',
    of: pod,
    asked: requested,
    evicted: ['background'],
    evacuations: ['success'],
  },
  {
    name: 'a refused Evacuation',
    mode: 'evacuate',
    of: pod,
    asked: refused,
    evicted: ['error'],
    evacuations: ['error'],
  },
  {
    name: 'an eviction of a pod that asks for those only',
    mode: 'evacuate',
    of: evictOnly,
    asked: requested,
    evicted: ['success'],
    evacuations: [],
  },
  {
    name: 'a promise to the descheduler that otherwise evacuates',
    mode: 'evacuate',
    of: evictOnly,
    asked: promised,
    evicted: ['background'],
    evacuations: [],
  },
] as const)('counts $name', async ({ mode, of, asked, evicted, evacuations }) => {
  const { metrics, lines } = open({ mode })
  metrics.asked(of, strategy, asked)
  expect(await results(lines)).toEqual({ evicted, evacuations })
})

test.each([
  { limit: 'totalLimit', mode: 'evacuate', result: 'maximum number of evicted pods per a descheduling cycle reached' },
  { limit: 'nodeLimit', mode: 'evacuate', result: 'maximum number of evicted pods per node reached' },
  { limit: 'namespaceLimit', mode: 'evacuate', result: 'maximum number of evicted pods per namespace reached' },
  { limit: 'nodeLimit', mode: 'evict', result: 'maximum number of evicted pods per node reached' },
] satisfies readonly { limit: LimitReached; mode: Mode; result: string }[])(
  'counts a pod that the $limit kept in place in mode $mode with the words of upstream',
  async ({ limit, mode, result }) => {
    const { metrics, lines } = open({ mode })
    const record = new StrategyRecord(strategy)
    record.isCut(pod, limit)
    metrics.reported({ strategies: [record.close()] })
    expect(await results(lines)).toEqual({ evicted: [result], evacuations: mode === 'evict' ? [] : [result] })
  },
)

test('the result of one pod adds up over cycles', async () => {
  const { metrics, lines } = open({ mode: 'evict' })
  for (let count = 0; count < 3; count++) metrics.asked(pod, strategy, requested)
  expect(await lines('descheduler_pods_evicted_total')).toEqual([
    'descheduler_pods_evicted_total{result="success",strategy="PodLifeTime",profile="default",namespace="shop",node="n1"} 3',
  ])
})

test('with very many nodes a counter has a limit, and keeps its sum', async () => {
  const { metrics, lines } = open({ mode: 'evict' })
  for (let node = 0; node < 20_002; node++) {
    metrics.asked(podView({ name: 'a', nodeName: `n${node}` }), strategy, requested)
  }
  metrics.asked(podView({ name: 'a', nodeName: 'n7' }), strategy, requested)
  const all = await lines('descheduler_pods_evicted_total')
  expect(all).toHaveLength(20_001)
  expect(all.find((line) => line.includes('node="n7"'))).toMatch(/ 2$/u)
  expect(all.find((line) => line.includes('node=""'))).toMatch(/ 2$/u)
})

test('durations are in seconds, in the buckets of upstream', async () => {
  const { metrics, lines } = open()
  metrics.strategyEnded(strategy, 30)
  metrics.cycleEnded(120_000)
  const bounds = async (name: string) =>
    (await lines(`${name}_bucket`)).map((line) => /le="(?<le>[^"]*)"/u.exec(line)?.groups?.['le'])
  const shared = ['0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '25', '50', '100']
  expect(await bounds('descheduler_strategy_duration_seconds')).toEqual([...shared, '+Inf'])
  expect(await bounds('descheduler_loop_duration_seconds')).toEqual([...shared, '250', '500', '+Inf'])
  expect(await lines('descheduler_strategy_duration_seconds_sum')).toEqual([
    'descheduler_strategy_duration_seconds_sum{strategy="PodLifeTime",profile="default"} 0.03',
  ])
  expect(await lines('descheduler_loop_duration_seconds_sum')).toEqual(['descheduler_loop_duration_seconds_sum 120'])
})

test('the build is told with the labels of upstream', async () => {
  const { lines } = open()
  expect(await lines('descheduler_build_info')).toEqual([
    'descheduler_build_info{DeschedulerVersion="0.2.0",AppVersion="0.2"} 1',
  ])
})

test('Evacuations in progress are those that are there when a scrape asks', async () => {
  const there = [
    { namespace: 'shop', node: 'n1' },
    { namespace: 'shop', node: 'n1' },
    { namespace: 'shop', node: 'n2' },
  ]
  const { lines } = open({ inProgress: () => there })
  expect(await lines('descheduler_pod_evacuations_in_progress')).toEqual([
    'descheduler_pod_evacuations_in_progress{namespace="shop",node="n1"} 2',
    'descheduler_pod_evacuations_in_progress{namespace="shop",node="n2"} 1',
  ])
  there.length = 1
  expect(await lines('descheduler_pod_evacuations_in_progress')).toEqual([
    'descheduler_pod_evacuations_in_progress{namespace="shop",node="n1"} 1',
  ])
})

test('the empty form takes everything', () => {
  noDeschedulerMetrics.asked(pod, strategy, requested)
  noDeschedulerMetrics.reported({ strategies: [] })
  noDeschedulerMetrics.strategyEnded(strategy, 1)
  noDeschedulerMetrics.cycleEnded(1)
})

test('what is wrong with the policy is counted as it is now', async () => {
  const { metrics, lines } = open()
  expect(await lines('descheduler_policy_problems')).toEqual(['descheduler_policy_problems 0'])
  metrics.policyRead(2)
  metrics.policyRead(1)
  expect(await lines('descheduler_policy_problems')).toEqual(['descheduler_policy_problems 1'])
  noDeschedulerMetrics.policyRead(1)
})
