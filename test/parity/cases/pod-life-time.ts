import type { CasePod, CasePolicy, KnownCase } from '../case.ts'
import { endedWith, twoNodes, waitingFor } from './parts.ts'

const policy = (args: object, evictor: object = {}): CasePolicy => ({ plugin: 'PodLifeTime', args, evictor })
const here = (name: string, parts: Partial<CasePod> = {}): CasePod => ({ name, node: 'n1', ...parts })

const ages = [10, 600, 7_200].map((ageSeconds) => here(`age-${ageSeconds}`, { ageSeconds }))

const phases = (['Pending', 'Running', 'Succeeded', 'Failed'] as const).map((phase) =>
  here(phase.toLowerCase(), { phase }),
)

const states: readonly CasePod[] = [
  here('pulling', { phase: 'Pending', status: { containerStatuses: [waitingFor('ImagePullBackOff')] } }),
  here('crashing', { status: { containerStatuses: [waitingFor('CrashLoopBackOff')] } }),
  here('out-of-memory', { status: { containerStatuses: [endedWith('OOMKilled', 137)] } }),
  here('init', { phase: 'Pending', status: { initContainerStatuses: [waitingFor('CrashLoopBackOff')] } }),
  here('ephemeral', { status: { ephemeralContainerStatuses: [endedWith('OOMKilled', 137)] } }),
  here('shut-down', { phase: 'Failed', status: { reason: 'Shutdown' } }),
]

const turned = (type: string, status: string, reason: string, secondsAgo: number | undefined) => ({
  conditions: [
    {
      type,
      status,
      reason,
      lastTransitionTime: secondsAgo === undefined ? null : `@-${secondsAgo}`,
    },
  ],
})
const conditions: readonly CasePod[] = [
  here('long-unready', { status: turned('Ready', 'False', 'ContainersNotReady', 7_200) }),
  here('just-unready', { status: turned('Ready', 'False', 'ContainersNotReady', 60) }),
  here('ready', { status: turned('Ready', 'True', '', 7_200) }),
  here('timeless', { status: turned('Ready', 'False', 'ContainersNotReady', undefined) }),
]

const codes: readonly CasePod[] = [
  here('one', { status: { containerStatuses: [endedWith('Error', 1)] } }),
  here('two', { status: { containerStatuses: [endedWith('Error', 2)] } }),
  here('init-one', { status: { initContainerStatuses: [endedWith('Error', 1)] } }),
  here('before', {
    status: { containerStatuses: [{ name: 'c0', state: {}, lastState: { terminated: { exitCode: 1 } } }] },
  }),
]

const owners: readonly CasePod[] = [
  here('replica'),
  here('job', { owners: ['Job/once'] }),
  here('both', { owners: ['Job/once', 'ReplicaSet/web'] }),
]

export const podLifeTimeCases: readonly KnownCase[] = [
  {
    name: 'older than',
    nodes: twoNodes,
    pods: ages,
    policy: policy({ maxPodLifeTimeSeconds: 300 }),
    expected: ['age-600', 'age-7200'],
  },
  {
    name: 'of every phase',
    nodes: twoNodes,
    pods: phases,
    policy: policy({ maxPodLifeTimeSeconds: 300 }),
    expected: ['failed', 'pending', 'running', 'succeeded'],
  },
  {
    name: 'of some phases',
    nodes: twoNodes,
    pods: phases,
    policy: policy({ states: ['Pending', 'Succeeded'] }),
    expected: ['pending', 'succeeded'],
  },
  {
    name: 'both old and in a state',
    nodes: twoNodes,
    pods: [...phases, here('young', { phase: 'Pending', ageSeconds: 10 })],
    policy: policy({ maxPodLifeTimeSeconds: 300, states: ['Pending'] }),
    expected: ['pending'],
  },
  {
    name: 'reasons of containers',
    nodes: twoNodes,
    pods: states,
    policy: policy({ states: ['ImagePullBackOff', 'CrashLoopBackOff', 'OOMKilled'] }),
    expected: ['crashing', 'out-of-memory', 'pulling'],
  },
  {
    name: 'reasons of init containers',
    nodes: twoNodes,
    pods: states,
    policy: policy({ states: ['CrashLoopBackOff', 'OOMKilled'], includingInitContainers: true }),
    expected: ['crashing', 'init', 'out-of-memory'],
  },
  {
    name: 'reasons of ephemeral containers',
    nodes: twoNodes,
    pods: states,
    policy: policy({ states: ['CrashLoopBackOff', 'OOMKilled'], includingEphemeralContainers: true }),
    expected: ['crashing', 'ephemeral', 'out-of-memory'],
  },
  {
    name: 'the reason of the pod',
    nodes: twoNodes,
    pods: states,
    policy: policy({ states: ['Shutdown'] }),
    expected: ['shut-down'],
  },
  {
    name: 'a condition by type and status',
    nodes: twoNodes,
    pods: conditions,
    policy: policy({ conditions: [{ type: 'Ready', status: 'False' }] }),
    expected: ['just-unready', 'long-unready', 'timeless'],
  },
  {
    name: 'a condition that turned long ago',
    nodes: twoNodes,
    pods: conditions,
    policy: policy({ conditions: [{ status: 'False', minTimeSinceLastTransitionSeconds: 3_600 }] }),
    expected: ['long-unready'],
  },
  {
    name: 'any of several conditions',
    nodes: twoNodes,
    pods: conditions,
    policy: policy({
      conditions: [{ status: 'True' }, { reason: 'ContainersNotReady', minTimeSinceLastTransitionSeconds: 3_600 }],
    }),
    expected: ['long-unready', 'ready'],
  },
  { name: 'exit codes', nodes: twoNodes, pods: codes, policy: policy({ exitCodes: [1, 3] }), expected: ['one'] },
  {
    name: 'exit codes of init containers',
    nodes: twoNodes,
    pods: codes,
    policy: policy({ exitCodes: [1, 3], includingInitContainers: true }),
    expected: ['init-one', 'one'],
  },
  {
    name: 'owner kinds to include',
    nodes: twoNodes,
    pods: owners,
    policy: policy({ maxPodLifeTimeSeconds: 1, ownerKinds: { include: ['Job'] } }),
    expected: ['both', 'job'],
  },
  {
    name: 'owner kinds to exclude',
    nodes: twoNodes,
    pods: owners,
    policy: policy({ maxPodLifeTimeSeconds: 1, ownerKinds: { exclude: ['Job'] } }),
    expected: ['replica'],
  },
  {
    name: 'namespaces to include',
    nodes: twoNodes,
    pods: [here('in'), here('out', { other: true })],
    policy: policy({ maxPodLifeTimeSeconds: 1, namespaces: { include: ['NS'] } }),
    expected: ['in'],
  },
  {
    name: 'namespaces to exclude',
    nodes: twoNodes,
    pods: [here('in'), here('out', { other: true })],
    policy: policy({ maxPodLifeTimeSeconds: 1, namespaces: { exclude: ['NS'] } }),
    expected: ['out'],
  },
  {
    name: 'labels',
    nodes: twoNodes,
    pods: [here('web', { labels: { app: 'web' } }), here('plain')],
    policy: policy({
      maxPodLifeTimeSeconds: 1,
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
    }),
    expected: ['plain'],
  },
  {
    name: 'only on nodes of the policy that are ready',
    nodes: [
      ...twoNodes,
      { name: 'n3', ready: false },
      { name: 'n4', unselected: true },
      { name: 'n5', cordoned: true },
    ],
    pods: ['n1', 'n3', 'n4', 'n5'].map((node) => ({ name: node, node })),
    policy: policy({ maxPodLifeTimeSeconds: 1 }),
    expected: ['n1', 'n5'],
  },
  {
    name: 'nothing with fewer than two ready nodes',
    nodes: [{ name: 'n1' }, { name: 'n2', ready: false }],
    pods: [here('a')],
    policy: policy({ maxPodLifeTimeSeconds: 1 }),
    expected: [],
  },
]
