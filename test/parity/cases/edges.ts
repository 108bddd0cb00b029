import type { CasePod, KnownCase } from '../case.ts'
import { avoids, hostname, inZone, podsOf, twoNodes, zone } from './parts.ts'

// Selectors that are empty or missing, quantities in unusual forms, and other things that are easily read another way.

const aging = (evictor: object, args: object = {}) => ({
  evictor,
  plugin: 'PodLifeTime',
  args: { maxPodLifeTimeSeconds: 60, ...args },
})
const here = (name: string, parts: Partial<CasePod> = {}): CasePod => ({ name, node: 'n1', ...parts })

const spread = (topologySpreadConstraint: object, args: object = {}) => ({
  nodes: [inZone('n1', 'a'), inZone('n2', 'b')],
  pods: podsOf(
    4,
    here('web', {
      labels: { app: 'web' },
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', ...topologySpreadConstraint },
        ],
      },
    }),
  ),
  policy: { plugin: 'RemovePodsViolatingTopologySpreadConstraint', point: 'balance' as const, args },
  compare: 'count' as const,
})

const affinityTo = (nodeAffinity: object) => ({ affinity: { nodeAffinity } })
const required = (nodeSelectorTerms: readonly object[]) =>
  affinityTo({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } })
const byExpression = (key: string, operator: string, ...values: readonly string[]) =>
  required([{ matchExpressions: [{ key, operator, values }] }])

const low = (thresholds: object, targetThresholds: object) => ({
  plugin: 'LowNodeUtilization',
  point: 'balance' as const,
  args: { thresholds, targetThresholds },
})

export const edgeCases: readonly KnownCase[] = [
  {
    name: 'an empty label selector of DefaultEvictor selects everything',
    nodes: twoNodes,
    pods: [here('a', { labels: { app: 'a' } }), here('b')],
    policy: aging({ labelSelector: {} }),
    expected: ['a', 'b'],
  },
  {
    name: 'an empty label selector of a plugin selects everything',
    nodes: twoNodes,
    pods: [here('a', { labels: { app: 'a' } }), here('b')],
    policy: aging({}, { labelSelector: {} }),
    expected: ['a', 'b'],
  },
  {
    name: 'a priority threshold by the name of a class',
    nodes: twoNodes,
    pods: [49, 50, 51].map((priority) => here(`p${priority}`, { priority })),
    policy: aging({ priorityThreshold: { name: 'parity-50' } }),
    expected: ['p49'],
  },
  {
    name: 'a node selector of the policy with every operator',
    nodes: [
      { name: 'n1', labels: { pool: 'x', fast: 'yes' } },
      { name: 'n2', labels: { pool: 'y', fast: 'yes' } },
      { name: 'n3', labels: { pool: 'z', fast: 'yes' } },
      { name: 'n4', labels: { pool: 'x', fast: 'yes', old: '' } },
      { name: 'n5', labels: { pool: 'x' } },
    ],
    pods: ['n1', 'n2', 'n3', 'n4', 'n5'].map((node) => ({ name: node, node })),
    policy: {
      ...aging({}),
      top: { nodeSelector: 'parity.lifeboat.test/place=NS,pool in (x,y,z),fast,!old,pool!=z' },
    },
    expected: ['n1', 'n2'],
  },
  {
    name: 'a spread constraint without a selector, with match label keys',
    ...spread({ matchLabelKeys: ['app'] }),
    expected: 0,
  },
  { name: 'a spread constraint with an empty selector', ...spread({ labelSelector: {} }), expected: 2 },
  {
    name: 'match label keys that the pod does not have',
    ...spread({ labelSelector: { matchLabels: { app: 'web' } }, matchLabelKeys: ['hash'] }),
    expected: 2,
  },
  {
    name: 'a spread constraint whose key no node has',
    ...spread({ labelSelector: {}, topologyKey: 'rack' }),
    expected: 0,
  },
  {
    name: 'anti-affinity without a selector, and with an empty one',
    nodes: twoNodes,
    pods: [
      here('web'),
      here('without', { spec: avoids('', hostname, { labelSelector: undefined }) }),
      here('empty', { spec: avoids('', hostname, { labelSelector: {} }) }),
    ],
    policy: { plugin: 'RemovePodsViolatingInterPodAntiAffinity' },
    expected: ['empty'],
  },
  {
    name: 'an empty node affinity makes a pod as hard to move as a full one',
    nodes: [inZone('n1', 'a'), inZone('n2', 'b')],
    pods: [
      { priority: 1_000, name: 'high', affinity: { nodeAffinity: {} } },
      { priority: 900, name: 'lower', affinity: { nodeAffinity: {} } },
      { priority: 10, name: 'free', affinity: {} },
      { priority: 20, name: 'freer', affinity: { podAffinity: {} } },
    ].map(({ priority, name, affinity }) =>
      here(name, {
        priority,
        labels: { app: 'web' },
        spec: {
          affinity,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: zone,
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: { matchLabels: { app: 'web' } },
            },
          ],
        },
      }),
    ),
    policy: { plugin: 'RemovePodsViolatingTopologySpreadConstraint', point: 'balance' },
    expected: ['free', 'freer'],
  },
  {
    name: 'required node affinity by numbers, by no terms and by terms of which one is empty',
    nodes: [
      { name: 'n1', labels: { level: '3' } },
      { name: 'n2', labels: { level: '7' } },
    ],
    pods: [
      here('above', { spec: byExpression('level', 'Gt', '5') }),
      here('below', { spec: byExpression('level', 'Lt', '5') }),
      here('no-terms', { spec: required([]) }),
      here('empty-term', {
        spec: required([{}, { matchExpressions: [{ key: 'level', operator: 'In', values: ['7'] }] }]),
      }),
      here('not-in', { spec: byExpression('gone', 'NotIn', 'x') }),
      here('exists', { spec: byExpression('gone', 'Exists') }),
    ],
    policy: {
      plugin: 'RemovePodsViolatingNodeAffinity',
      args: { nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
    },
    expected: ['above', 'empty-term'],
  },
  {
    name: 'quantities in unusual forms',
    nodes: twoNodes.map(({ name }) => ({ name, allocatable: { cpu: '4000000u', memory: '1e9', pods: '1k' } })),
    pods: [
      { cpu: '0.5', memory: '100M' },
      { cpu: '.5', memory: '1e8' },
      { cpu: '500m', memory: '97656.25Ki' },
      { cpu: '5e-1', memory: '100000000000m' },
      { cpu: '500000u', memory: '0.1G' },
      { cpu: '500000000n', memory: '100e6' },
    ].map((requests, index) => here(`p${index}`, { ...requests, priority: index })),
    // Six of 500m on n1: 75 percent. Two leave until 50 percent are reached.
    policy: low({ cpu: 20, memory: 20 }, { cpu: 50, memory: 60 }),
    expected: ['p0', 'p1'],
  },
  {
    name: 'a cordoned node loses pods too',
    nodes: [{ name: 'n1', cordoned: true }, { name: 'n2' }],
    pods: [1, 2, 3, 4, 5, 6].map((priority) => here(`p${priority}`, { priority, cpu: '500m' })),
    policy: low({ cpu: 20 }, { cpu: 50 }),
    expected: ['p1', 'p2'],
  },
  {
    name: 'a usage that is exactly the threshold is neither above nor too much',
    nodes: twoNodes,
    pods: [...podsOf(4, here('a', { cpu: '500m' })), { name: 'b', node: 'n2', cpu: '800m' }],
    policy: low({ cpu: 20 }, { cpu: 50 }),
    expected: [],
  },
  {
    name: 'a pod that only an init container makes request a resource',
    nodes: twoNodes,
    pods: [
      here('init', {
        spec: { initContainers: [{ name: 'i', image: 'i:1', resources: { requests: { cpu: '100m' } } }] },
      }),
      here('none'),
      ...podsOf(5, { name: 'b', node: 'n2', cpu: '500m' }),
    ],
    policy: {
      plugin: 'HighNodeUtilization',
      point: 'balance',
      args: { thresholds: { cpu: 20 }, evictionModes: ['OnlyThresholdingResources'] },
    },
    expected: ['init'],
  },
]
