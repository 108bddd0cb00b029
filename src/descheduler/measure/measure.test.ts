import { describe, expect, test } from 'vitest'
import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import type { EnabledPlugin, MetricsUtilization } from '../policy/policy.ts'
import { enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { gatherMetrics, measuresOf, type MeasureParts, type Measures } from './measure.ts'

const low = (metricsUtilization?: MetricsUtilization): EnabledPlugin =>
  enabled('LowNodeUtilization', metricsUtilization === undefined ? {} : { metricsUtilization })
const kubernetes = low({ source: 'KubernetesMetrics' })
const prometheus = (query: string) => low({ source: 'Prometheus', query })
const policyWith = (...profiles: EnabledPlugin[][]) =>
  policyOf({ profiles: profiles.map((balance, index) => profileOf(`p${index}`, { balance })) })

const never = new AbortController().signal
const nodeUsage = new Map<string, Amounts>([['n1', new Map([['cpu', 1_000]])]])
const podUsage = new Map<string, Amounts>([['shop/cart', new Map([['cpu', 100]])]])
const shares = new Map([['n1', 0.5]])

/** Both sources, and what they were asked for. */
function ground({
  syncs = true,
  isSynced = true,
  problem,
}: { syncs?: boolean; isSynced?: boolean; problem?: Error } = {}) {
  const asked: string[] = []
  let synced = isSynced
  const parts: MeasureParts = {
    kubernetesMetrics: {
      synced: () => synced,
      collect: async () => {
        asked.push('collect')
        synced = syncs
      },
      nodes: () => nodeUsage,
      problem: () => problem,
      podUsage: async () => {
        asked.push('pods')
        return podUsage
      },
    },
    prometheus: {
      ask: async (queries) => {
        asked.push(...queries)
        return new Map(queries.map((query) => [query, shares]))
      },
    },
  }
  return { parts, asked }
}

describe('the measures of a policy', () => {
  test.each<{ name: string; profiles: EnabledPlugin[][]; expected: Measures }>([
    { name: 'none without profiles', profiles: [], expected: { kubernetesMetrics: false, queries: [] } },
    {
      name: 'none for plugins that go by requests',
      profiles: [[low(), enabled('HighNodeUtilization'), enabled('RemoveDuplicates')]],
      expected: { kubernetesMetrics: false, queries: [] },
    },
    { name: 'metrics.k8s.io', profiles: [[], [kubernetes]], expected: { kubernetesMetrics: true, queries: [] } },
    {
      name: 'each query once, in the order of the policy',
      profiles: [[prometheus('b')], [prometheus('a'), prometheus('b')]],
      expected: { kubernetesMetrics: false, queries: ['b', 'a'] },
    },
    {
      name: 'both',
      profiles: [[kubernetes], [prometheus('a')]],
      expected: { kubernetesMetrics: true, queries: ['a'] },
    },
  ])('$name', ({ profiles, expected }) => {
    expect(measuresOf(policyWith(...profiles))).toEqual(expected)
  })
})

describe('gathering', () => {
  test.each<{ name: string; profiles: EnabledPlugin[][]; isSynced?: boolean; syncs?: boolean; expected: string[] }>([
    { name: 'asks for nothing that no plugin uses', profiles: [[low()]], expected: [] },
    { name: 'asks for pods beside nodes', profiles: [[kubernetes]], expected: ['pods'] },
    { name: 'asks for pods once', profiles: [[kubernetes], [kubernetes]], expected: ['pods'] },
    {
      name: 'collects nodes by itself before the loop has',
      profiles: [[kubernetes]],
      isSynced: false,
      expected: ['collect', 'pods'],
    },
    {
      name: 'does not ask for pods if nodes cannot be had',
      profiles: [[kubernetes]],
      isSynced: false,
      syncs: false,
      expected: ['collect'],
    },
    { name: 'asks Prometheus alone', profiles: [[prometheus('a'), prometheus('b')]], expected: ['a', 'b'] },
  ])('$name', async ({ profiles, expected, ...choices }) => {
    const { parts, asked } = ground(choices)
    await gatherMetrics(policyWith(...profiles), parts, never)
    expect(asked).toEqual(expected)
  })

  test('hands on what was measured', async () => {
    const { parts } = ground()
    expect(await gatherMetrics(policyWith([kubernetes, prometheus('a')]), parts, never)).toEqual({
      nodes: nodeUsage,
      pods: podUsage,
      prometheus: new Map([['a', shares]]),
    })
  })

  test('tells why there is nothing new', async () => {
    const problem = new Error('metrics.k8s.io is not served')
    const { parts } = ground({ problem, isSynced: false, syncs: false })
    expect(await gatherMetrics(policyWith([kubernetes]), parts, never)).toMatchObject({ problem })
  })

  test('says which provider is missing', async () => {
    const parts = { kubernetesMetrics: undefined, prometheus: undefined }
    const {
      nodes,
      pods,
      prometheus: answers,
    } = await gatherMetrics(policyWith([kubernetes, prometheus('a')]), parts, never)
    expect(nodes.size + pods.size).toBe(0)
    expect(answers.get('a')).toEqual(new Error('the policy has no metricsProviders entry with source Prometheus'))
  })
})
