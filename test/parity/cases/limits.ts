import type { CasePod, KnownCase } from '../case.ts'
import { podsOf, twoNodes } from './parts.ts'

const aging = (top: object) => ({ top, plugin: 'PodLifeTime', args: { maxPodLifeTimeSeconds: 60 } })
const failing = (top: object) => ({ top, plugin: 'RemoveFailedPods', args: { minPodLifetimeSeconds: 60 } })

const ages: readonly CasePod[] = [900, 800, 700, 600, 500, 400].map((ageSeconds, index) => ({
  name: `age-${ageSeconds}`,
  node: index % 3 === 2 ? 'n2' : 'n1',
  other: index % 2 === 1,
  ageSeconds,
}))

const failed: readonly CasePod[] = [
  ...podsOf(3, { name: 'a', node: 'n1', phase: 'Failed' }),
  ...podsOf(2, { name: 'b', node: 'n2', phase: 'Failed' }),
  ...podsOf(2, { name: 'c', node: 'n2', phase: 'Failed', other: true }),
]

export const limitsCases: readonly KnownCase[] = [
  {
    name: 'in all, the oldest first',
    nodes: twoNodes,
    pods: ages,
    policy: aging({ maxNoOfPodsToEvictTotal: 2 }),
    expected: ['age-800', 'age-900'],
  },
  {
    name: 'per node: the next pod may be of another',
    nodes: twoNodes,
    pods: ages,
    policy: aging({ maxNoOfPodsToEvictPerNode: 1 }),
    expected: ['age-700', 'age-900'],
  },
  {
    name: 'per namespace',
    nodes: twoNodes,
    pods: ages,
    policy: aging({ maxNoOfPodsToEvictPerNamespace: 1 }),
    expected: ['age-800', 'age-900'],
  },
  {
    name: 'all three',
    nodes: twoNodes,
    pods: ages,
    policy: aging({ maxNoOfPodsToEvictPerNamespace: 2, maxNoOfPodsToEvictPerNode: 2, maxNoOfPodsToEvictTotal: 3 }),
    expected: ['age-700', 'age-800', 'age-900'],
  },
  { name: 'none at all', nodes: twoNodes, pods: ages, policy: aging({ maxNoOfPodsToEvictTotal: 0 }), expected: [] },
  {
    name: 'none of a node',
    nodes: twoNodes,
    pods: ages,
    policy: aging({ maxNoOfPodsToEvictPerNode: 0 }),
    expected: [],
  },
  {
    name: 'node by node, per node',
    nodes: twoNodes,
    pods: failed,
    policy: failing({ maxNoOfPodsToEvictPerNode: 2 }),
    compare: 'perNode',
    expected: 4,
  },
  {
    name: 'node by node, per namespace',
    nodes: twoNodes,
    pods: failed,
    policy: failing({ maxNoOfPodsToEvictPerNamespace: 2 }),
    compare: 'perNamespace',
    expected: 4,
  },
  {
    name: 'node by node, in all',
    nodes: twoNodes,
    pods: failed,
    policy: failing({ maxNoOfPodsToEvictTotal: 5 }),
    compare: 'count',
    expected: 5,
  },
]
