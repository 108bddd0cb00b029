import type { CasePod, CasePolicy, KnownCase } from '../case.ts'
import { deschedulerAnnotation, podsOf, twoNodes } from './parts.ts'

// Every pod here is wanted by PodLifeTime: a pod that stays is protected.

const wanting = (evictor: object): CasePolicy => ({
  evictor,
  plugin: 'PodLifeTime',
  args: { maxPodLifeTimeSeconds: 60 },
})

const here = (name: string, parts: Partial<CasePod> = {}): CasePod => ({ name, node: 'n1', ...parts })

const withVolume = (volume: object) => ({ spec: { volumes: [{ name: 'data', ...volume }] } })
const withClaim = (claimName: string) => withVolume({ persistentVolumeClaim: { claimName } })

const marked: readonly CasePod[] = [
  here('plain'),
  here('mirror', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  here('from-file', { annotations: { 'kubernetes.io/config.source': 'file' } }),
  here('from-api', { annotations: { 'kubernetes.io/config.source': 'api' } }),
  here('terminating', { terminating: true }),
]

const byPriority: readonly CasePod[] = [
  here('none'),
  here('low', { priority: 50 }),
  here('high', { priority: 1_000 }),
  here('below', { priority: 1_999_999_999 }),
  here('critical', { priority: 2_000_000_000 }),
]

const byOwner: readonly CasePod[] = [
  here('owned'),
  here('bare', { owners: [] }),
  here('bare-failed', { owners: [], phase: 'Failed' }),
  here('daemon', { owners: ['DaemonSet/agent'] }),
  here('both', { owners: ['ReplicaSet/web', 'DaemonSet/agent'] }),
]

const byVolume: readonly CasePod[] = [
  here('none'),
  here('empty-dir', withVolume({ emptyDir: {} })),
  here('host-path', withVolume({ hostPath: { path: '/data' } })),
  here('secret', withVolume({ secret: { secretName: 'token' } })),
  here('claim', withClaim('fast')),
  here('ephemeral', withVolume({ ephemeral: { volumeClaimTemplate: { spec: {} } } })),
]

const byClaim: readonly CasePod[] = [
  here('none'),
  here('fast', withClaim('fast')),
  here('slow', withClaim('slow')),
  here('classless', withClaim('classless')),
  here('missing', withClaim('missing')),
]
const claims = [
  { name: 'fast', storageClass: 'fast' },
  { name: 'slow', storageClass: 'slow' },
  { name: 'classless' },
] as const

const byLabel: readonly CasePod[] = [here('web', { labels: { app: 'web' } }), here('db', { labels: { app: 'db' } })]

const byPreference: readonly CasePod[] = [
  here('plain'),
  here('preferred', { annotations: deschedulerAnnotation('prefer-no-eviction') }),
  here('asked-for', {
    annotations: { ...deschedulerAnnotation('prefer-no-eviction'), ...deschedulerAnnotation('evict') },
  }),
]

const anyhow = deschedulerAnnotation('evict')

export const defaultEvictorCases: readonly KnownCase[] = [
  {
    name: 'mirrors, static and terminating pods stay',
    nodes: twoNodes,
    pods: marked,
    policy: wanting({}),
    expected: ['from-api', 'plain'],
  },
  {
    name: 'the annotation evict undoes every protection',
    nodes: twoNodes,
    pods: [
      here('mirror', { annotations: { ...anyhow, 'kubernetes.io/config.mirror': 'x' } }),
      here('terminating', { annotations: anyhow, terminating: true }),
      here('critical', { annotations: anyhow, priority: 2_000_001_000 }),
      here('bare', { annotations: anyhow, owners: [] }),
      here('daemon', { annotations: anyhow, owners: ['DaemonSet/agent'] }),
      here('local', { annotations: anyhow, ...withVolume({ emptyDir: {} }) }),
      here('false', { annotations: { 'descheduler.alpha.kubernetes.io/evict': 'false' }, owners: [] }),
    ],
    policy: wanting({ minPodAge: '240h', labelSelector: { matchLabels: { app: 'none' } } }),
    expected: ['bare', 'critical', 'daemon', 'false', 'local', 'mirror', 'terminating'],
  },
  {
    name: 'critical pods stay',
    nodes: twoNodes,
    pods: byPriority,
    policy: wanting({}),
    expected: ['below', 'high', 'low', 'none'],
  },
  {
    name: 'critical pods go with evictSystemCriticalPods, and the threshold is not looked at',
    nodes: twoNodes,
    pods: byPriority,
    policy: wanting({ evictSystemCriticalPods: true }),
    expected: ['below', 'critical', 'high', 'low', 'none'],
  },
  {
    name: 'pods at or above the priority threshold stay',
    nodes: twoNodes,
    pods: byPriority,
    policy: wanting({ priorityThreshold: { value: 1_000 } }),
    expected: ['low', 'none'],
  },
  {
    name: 'a threshold is of no effect with the protection of critical pods off',
    nodes: twoNodes,
    pods: byPriority,
    policy: wanting({ priorityThreshold: { value: 50 }, podProtections: { defaultDisabled: ['SystemCriticalPods'] } }),
    expected: ['below', 'critical', 'high', 'low', 'none'],
  },
  { name: 'bare and DaemonSet pods stay', nodes: twoNodes, pods: byOwner, policy: wanting({}), expected: ['owned'] },
  {
    name: 'bare pods that failed go with evictFailedBarePods',
    nodes: twoNodes,
    pods: byOwner,
    policy: wanting({ evictFailedBarePods: true }),
    expected: ['bare-failed', 'owned'],
  },
  {
    name: 'bare pods that failed go with FailedBarePods disabled',
    nodes: twoNodes,
    pods: byOwner,
    policy: wanting({ podProtections: { defaultDisabled: ['FailedBarePods'] } }),
    expected: ['bare-failed', 'owned'],
  },
  {
    name: 'DaemonSet pods go with evictDaemonSetPods',
    nodes: twoNodes,
    pods: byOwner,
    policy: wanting({ evictDaemonSetPods: true }),
    expected: ['both', 'daemon', 'owned'],
  },
  {
    name: 'DaemonSet pods go with DaemonSetPods disabled',
    nodes: twoNodes,
    pods: byOwner,
    policy: wanting({ podProtections: { defaultDisabled: ['DaemonSetPods'] } }),
    expected: ['both', 'daemon', 'owned'],
  },
  {
    name: 'pods with local storage stay, pods with claims go',
    nodes: twoNodes,
    pods: byVolume,
    policy: wanting({}),
    expected: ['claim', 'ephemeral', 'none', 'secret'],
  },
  {
    name: 'pods with local storage go with evictLocalStoragePods',
    nodes: twoNodes,
    pods: byVolume,
    policy: wanting({ evictLocalStoragePods: true }),
    expected: ['claim', 'empty-dir', 'ephemeral', 'host-path', 'none', 'secret'],
  },
  {
    name: 'pods with a claim stay with ignorePvcPods, those with an ephemeral volume do not',
    nodes: twoNodes,
    pods: byVolume,
    policy: wanting({ ignorePvcPods: true }),
    expected: ['ephemeral', 'none', 'secret'],
  },
  {
    name: 'PodsWithPVC beside PodsWithLocalStorage disabled',
    nodes: twoNodes,
    pods: byVolume,
    policy: wanting({
      podProtections: { defaultDisabled: ['PodsWithLocalStorage'], extraEnabled: ['PodsWithPVC'] },
    }),
    expected: ['empty-dir', 'ephemeral', 'host-path', 'none', 'secret'],
  },
  {
    name: 'claims of a protected storage class, without one, or missing protect',
    nodes: twoNodes,
    pods: byClaim,
    claims,
    policy: wanting({
      podProtections: {
        extraEnabled: ['PodsWithPVC'],
        config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'fast' }] } },
      },
    }),
    expected: ['none', 'slow'],
  },
  {
    name: 'pods without a budget stay with ignorePodsWithoutPDB',
    nodes: twoNodes,
    pods: [...byLabel, here('elsewhere', { labels: { app: 'web' }, other: true })],
    budgets: [{ name: 'web', matchLabels: { app: 'web' } }],
    policy: wanting({ ignorePodsWithoutPDB: true }),
    expected: ['web'],
  },
  {
    name: 'pods without a budget stay with PodsWithoutPDB',
    nodes: twoNodes,
    pods: byLabel,
    budgets: [{ name: 'web', matchLabels: { app: 'web' } }],
    policy: wanting({ podProtections: { extraEnabled: ['PodsWithoutPDB'] } }),
    expected: ['web'],
  },
  {
    name: 'pods with resource claims stay with PodsWithResourceClaims',
    nodes: twoNodes,
    pods: [here('plain'), here('device', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } })],
    policy: wanting({ podProtections: { extraEnabled: ['PodsWithResourceClaims'] } }),
    expected: ['plain'],
  },
  {
    name: 'a label selector protects pods that it does not select',
    nodes: twoNodes,
    pods: byLabel,
    policy: wanting({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } }),
    expected: ['db'],
  },
  {
    name: 'minReplicas protects owners with fewer pods, of any phase, and not pods with two owners',
    nodes: twoNodes,
    pods: [
      ...podsOf(2, { name: 'two', node: 'n1', owners: ['ReplicaSet/two'] }),
      ...podsOf(2, { name: 'three', node: 'n1', owners: ['ReplicaSet/three'] }),
      { name: 'three-3', node: 'n2', owners: ['ReplicaSet/three'], phase: 'Succeeded' },
      { name: 'shared', node: 'n2', owners: ['ReplicaSet/one', 'ReplicaSet/another'] },
    ],
    policy: wanting({ minReplicas: 3 }),
    // Each pod that leaves counts no longer, but the list is complete before the first one does.
    expected: ['shared', 'three-1', 'three-2', 'three-3'],
  },
  {
    name: 'minReplicas of 1 protects no pod',
    nodes: twoNodes,
    pods: [here('only')],
    policy: wanting({ minReplicas: 1 }),
    expected: ['only'],
  },
  {
    name: 'minPodAge looks at the start, and protects pods that have not started',
    nodes: twoNodes,
    pods: [
      here('old', { ageSeconds: 7_200 }),
      here('young', { ageSeconds: 1_800 }),
      here('pending', { ageSeconds: 7_200, phase: 'Pending', status: { startTime: null } }),
    ],
    policy: wanting({ minPodAge: '1h' }),
    expected: ['old'],
  },
  {
    name: 'pods that prefer no eviction go under Preferred',
    nodes: twoNodes,
    pods: byPreference,
    policy: wanting({}),
    expected: ['asked-for', 'plain', 'preferred'],
  },
  {
    name: 'pods that prefer no eviction stay under Mandatory, unless the annotation evict is there',
    nodes: twoNodes,
    pods: byPreference,
    policy: wanting({ noEvictionPolicy: 'Mandatory' }),
    expected: ['asked-for', 'plain'],
  },
  {
    name: 'a namespace label selector protects pods of other namespaces',
    nodes: twoNodes,
    pods: [here('selected'), here('not', { other: true })],
    namespaceLabels: { team: 'blue' },
    policy: wanting({ namespaceLabelSelector: { matchLabels: { team: 'blue' } } }),
    expected: ['selected'],
  },
  {
    name: 'the annotation evict does not undo the namespace label selector',
    nodes: twoNodes,
    pods: [here('selected'), here('not', { other: true, annotations: anyhow })],
    namespaceLabels: { team: 'blue' },
    policy: wanting({ namespaceLabelSelector: { matchLabels: { team: 'blue' } } }),
    expected: ['selected'],
  },
  {
    name: 'an empty namespace label selector selects everything',
    nodes: twoNodes,
    pods: [here('one'), here('another', { other: true })],
    policy: wanting({ namespaceLabelSelector: {} }),
    expected: ['another', 'one'],
  },
]
