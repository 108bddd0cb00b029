import { describe, expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import { nodeView, nowMs, podView, runPlugin, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { defaultProtections, type DefaultEvictorArgs, type Limits, type PodLifeTimeArgs } from '../policy/policy.ts'
import type { ConditionView, ContainerView } from '../view.ts'
import { podLifeTime } from './pod-life-time.ts'

const secondsAgo = (seconds: number) => nowMs - seconds * 1_000
const tenMinutes = { maxPodLifeTimeSeconds: 600 }
const [young, old] = [{ createdMs: nowMs }, { createdMs: secondsAgo(100_000) }]

interface Row {
  readonly name: string
  readonly args: PodLifeTimeArgs
  readonly pods: Readonly<Record<string, Omit<PodChoices, 'name'>>>
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  readonly expected: readonly string[]
}

const ages: readonly Row[] = [
  { name: 'of a young and an old pod the old one goes', args: tenMinutes, pods: { a: young, b: old }, expected: ['b'] },
  { name: 'of two young pods none goes', args: tenMinutes, pods: { a: young, b: young }, expected: [] },
  {
    name: 'a pod goes after 605 seconds',
    args: tenMinutes,
    pods: { a: { createdMs: secondsAgo(605) } },
    expected: ['a'],
  },
  {
    name: 'a pod stays after 595 seconds',
    args: tenMinutes,
    pods: { a: { createdMs: secondsAgo(595) } },
    expected: [],
  },
  {
    name: 'a pod stays as long as 600 whole seconds have passed',
    args: tenMinutes,
    pods: { a: { createdMs: secondsAgo(600.999) } },
    expected: [],
  },
  {
    name: 'a pod goes when 601 seconds have passed',
    args: tenMinutes,
    pods: { a: { createdMs: secondsAgo(601) } },
    expected: ['a'],
  },
  {
    name: 'a limit of 0 takes who is a second old',
    args: { maxPodLifeTimeSeconds: 0 },
    pods: { a: young, b: { createdMs: secondsAgo(1) } },
    expected: ['b'],
  },
  {
    name: 'a pod from the future stays',
    args: { maxPodLifeTimeSeconds: 0 },
    pods: { a: { createdMs: secondsAgo(-100) } },
    expected: [],
  },
  {
    name: 'the oldest of all nodes go first',
    args: tenMinutes,
    pods: {
      a: { createdMs: secondsAgo(700) },
      b: { createdMs: secondsAgo(900), nodeName: 'n2' },
      c: { createdMs: secondsAgo(800) },
    },
    expected: ['b', 'c', 'a'],
  },
]

const both = { a: young, b: old, c: { ...old, phase: 'Pending' } }
const limits: readonly Row[] = [
  { name: 'without limits all old pods go', args: tenMinutes, pods: both, expected: ['b', 'c'] },
  { name: 'the limit of a namespace', args: tenMinutes, pods: both, limits: { perNamespace: 1 }, expected: ['b'] },
  {
    name: 'the limit of a namespace does not end the plugin',
    args: tenMinutes,
    pods: { ...both, d: { ...old, namespace: 'shop' } },
    limits: { perNamespace: 1 },
    expected: ['b', 'd'],
  },
  { name: 'the total limit', args: tenMinutes, pods: both, limits: { perNamespace: 2, total: 1 }, expected: ['b'] },
  { name: 'the limit of a node', args: tenMinutes, pods: both, limits: { perNode: 1 }, expected: ['b'] },
  {
    name: 'the limit of a node passes over its pods alone',
    args: tenMinutes,
    pods: { a: old, b: { ...old, nodeName: 'n2' }, c: old },
    limits: { perNode: 1 },
    expected: ['a', 'b'],
  },
]

const claim = { ...old, claims: ['disk'] }
const withClaims = { protections: new Set([...defaultProtections, 'PodsWithPVC' as const]) }
const spared: readonly Row[] = [
  {
    name: 'a pod with a claim, where those are protected',
    args: tenMinutes,
    pods: { a: claim },
    evictor: withClaims,
    expected: [],
  },
  { name: 'a pod with a claim, where those are not', args: tenMinutes, pods: { a: claim }, expected: ['a'] },
  { name: 'a pod without an owner', args: tenMinutes, pods: { a: { ...old, owners: [] } }, expected: [] },
  { name: 'pods that are being deleted', args: tenMinutes, pods: { a: { ...old, isTerminating: true } }, expected: [] },
  {
    name: 'pods that fit no other node',
    args: tenMinutes,
    pods: { a: { ...old, nodeSelector: { disk: 'ssd' } } },
    evictor: { nodeFit: true },
    expected: [],
  },
  {
    name: 'pods without the label',
    args: { ...tenMinutes, labelSelector: { matchLabels: { foo: 'bar' } } },
    pods: { a: { ...old, labels: { foo: 'bar' } }, b: { ...old, labels: { foo: 'bar1' } } },
    expected: ['a'],
  },
  {
    name: 'pods of other namespaces',
    args: { ...tenMinutes, namespaces: { include: ['shop'] } },
    pods: { a: old, b: { ...old, namespace: 'shop' } },
    expected: ['b'],
  },
  {
    name: 'pods of excluded namespaces',
    args: { ...tenMinutes, namespaces: { exclude: ['shop'] } },
    pods: { a: old, b: { ...old, namespace: 'shop' } },
    expected: ['a'],
  },
]

const inState = (state: string) => ({ ...tenMinutes, states: [state] })
const waiting = (reason: string): Partial<ContainerView> => ({ waitingReason: reason })
const ended = (reason: string): Partial<ContainerView> => ({ terminatedReason: reason })
const pending = { ...old, phase: 'Pending' }

const waitingReasons = [
  'PodInitializing',
  'ContainerCreating',
  'ImagePullBackOff',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'ErrImagePull',
  'CreateContainerError',
  'InvalidImageName',
]
const endReasons = [
  'OOMKilled',
  'Error',
  'Completed',
  'DeadlineExceeded',
  'Evicted',
  'ContainerCannotRun',
  'StartError',
]
const podReasons = ['NodeAffinity', 'NodeLost', 'Shutdown', 'UnexpectedAdmissionError']
const phases = ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown']

const states: readonly Row[] = [
  ...waitingReasons.map((reason) => ({
    name: `a container waits for ${reason}`,
    args: inState(reason),
    pods: { a: pending, b: { ...pending, containers: [{}, waiting(reason)] } },
    expected: ['b'],
  })),
  ...endReasons.map((reason) => ({
    name: `a container has ended with ${reason}`,
    args: inState(reason),
    pods: { a: pending, b: { ...pending, containers: [ended(reason)] } },
    expected: ['b'],
  })),
  ...podReasons.map((reason) => ({
    name: `the pod is in its state because of ${reason}`,
    args: inState(reason),
    pods: { a: pending, b: { ...pending, reason } },
    expected: ['b'],
  })),
  ...phases.map((phase) => ({
    name: `the pod is ${phase}`,
    args: inState(phase),
    pods: { a: { ...old, phase: undefined }, b: { ...old, phase } },
    expected: ['b'],
  })),
  {
    name: 'a container waits for something else',
    args: inState('ContainerCreating'),
    pods: { a: { ...pending, containers: [waiting('ImagePullBackOff')] } },
    expected: [],
  },
  {
    name: 'the state is right, the pod is young',
    args: inState('Pending'),
    pods: { a: { ...young, phase: 'Pending' } },
    expected: [],
  },
  {
    name: 'one of several states is enough',
    args: { states: ['Failed', 'NodeAffinity'] },
    pods: { a: { containers: [ended('NodeAffinity')] }, b: { phase: 'Failed' }, c: {} },
    expected: ['a', 'b'],
  },
  {
    name: 'an init container waits, and those do not count',
    args: inState('CreateContainerError'),
    pods: { a: { ...pending, initContainers: [waiting('CreateContainerError')] } },
    expected: [],
  },
  {
    name: 'an init container waits, and those count',
    args: { ...inState('CreateContainerError'), includingInitContainers: true },
    pods: { a: { ...pending, initContainers: [waiting('CreateContainerError')] } },
    expected: ['a'],
  },
  {
    name: 'an init container has ended, and those count',
    args: { states: ['Error'], includingInitContainers: true },
    pods: { a: { initContainers: [ended('Error')] } },
    expected: ['a'],
  },
  {
    name: 'an init container has ended, and those do not count',
    args: { states: ['Error'] },
    pods: { a: { initContainers: [ended('Error')] } },
    expected: [],
  },
  {
    name: 'an ephemeral container waits, and those do not count',
    args: inState('CreateContainerError'),
    pods: { a: { ...pending, ephemeralContainers: [waiting('CreateContainerError')] } },
    expected: [],
  },
  {
    name: 'an ephemeral container waits, and those count',
    args: { ...inState('CreateContainerError'), includingEphemeralContainers: true },
    pods: { a: { ...pending, ephemeralContainers: [waiting('CreateContainerError')] } },
    expected: ['a'],
  },
  {
    name: 'an ephemeral container has ended, and those count',
    args: { states: ['OOMKilled'], includingEphemeralContainers: true },
    pods: { a: { ephemeralContainers: [ended('OOMKilled')] } },
    expected: ['a'],
  },
  {
    name: 'an ephemeral container has ended, and init ones count',
    args: { states: ['OOMKilled'], includingInitContainers: true },
    pods: { a: { ephemeralContainers: [ended('OOMKilled')] } },
    expected: [],
  },
]

const turned = (
  reason: string | undefined,
  seconds: number | undefined,
  rest: Partial<ConditionView> = {},
): ConditionView => ({
  type: 'Initialized',
  status: 'True',
  reason,
  lastTransitionMs: seconds === undefined ? undefined : secondsAgo(seconds),
  ...rest,
})
const completed = (seconds: number) => ({ conditions: [turned('PodCompleted', seconds)] })
const forFiveMinutes = { reason: 'PodCompleted', minTimeSinceLastTransitionSeconds: 300 }
const stale: PodLifeTimeArgs = { states: ['Succeeded'], conditions: [{ ...forFiveMinutes, status: 'True' }] }

const conditions: readonly Row[] = [
  {
    name: 'reason and status match',
    args: { conditions: [{ reason: 'PodCompleted', status: 'True' }] },
    pods: { a: completed(0), b: { conditions: [turned('Other', 0)] } },
    expected: ['a'],
  },
  {
    name: 'the reason matches, the status does not',
    args: { conditions: [{ reason: 'PodCompleted', status: 'False' }] },
    pods: { a: completed(0) },
    expected: [],
  },
  {
    name: 'the type alone is asked for',
    args: { conditions: [{ type: 'Ready' }] },
    pods: { a: { conditions: [turned(undefined, 0, { type: 'Ready', status: 'False' })] }, b: completed(0) },
    expected: ['a'],
  },
  {
    name: 'no condition matches',
    args: { conditions: [{ reason: 'PodCompleted' }] },
    pods: { a: { conditions: [turned('Other', 0)] }, b: {} },
    expected: [],
  },
  {
    name: 'two conditions match half each',
    args: { conditions: [{ type: 'Ready', reason: 'PodCompleted' }] },
    pods: { a: { conditions: [turned('PodCompleted', 0), turned('Other', 0, { type: 'Ready' })] } },
    expected: [],
  },
  {
    name: 'any of several filters is enough',
    args: { conditions: [{ reason: 'Nothing' }, { status: 'True' }] },
    pods: { a: completed(0) },
    expected: ['a'],
  },
  {
    name: 'the condition turned long ago',
    args: stale,
    pods: { a: { ...completed(900), phase: 'Succeeded' } },
    expected: ['a'],
  },
  {
    name: 'the condition turned a moment ago',
    args: stale,
    pods: { a: { ...completed(10), phase: 'Succeeded' } },
    expected: [],
  },
  {
    name: 'the condition turned exactly so long ago',
    args: { conditions: [forFiveMinutes] },
    pods: { a: completed(300), b: completed(299.999) },
    expected: ['a'],
  },
  {
    name: 'only the condition that matches must have turned so long ago',
    args: { conditions: [forFiveMinutes] },
    pods: { a: { conditions: [turned('PodCompleted', 900), turned('Other', 1, { type: 'Ready' })] } },
    expected: ['a'],
  },
  {
    name: 'only the condition that does not match turned so long ago',
    args: { conditions: [forFiveMinutes] },
    pods: { a: { conditions: [turned('PodCompleted', 1), turned('Other', 900)] } },
    expected: [],
  },
  {
    name: 'the time alone is asked for, and there are no conditions',
    args: { conditions: [{ minTimeSinceLastTransitionSeconds: 300 }] },
    pods: { a: {} },
    expected: [],
  },
  {
    name: 'it is not known when the condition turned',
    args: { conditions: [{ minTimeSinceLastTransitionSeconds: 0 }] },
    pods: { a: { conditions: [turned('PodCompleted', undefined)] } },
    expected: [],
  },
  {
    name: 'the condition turns in the future',
    args: { conditions: [{ minTimeSinceLastTransitionSeconds: 0 }] },
    pods: { a: completed(-5) },
    expected: [],
  },
  { name: 'the phase is wrong', args: stale, pods: { a: completed(900) }, expected: [] },
]

const job = { owners: [{ kind: 'Job', name: 'job1', uid: 'job1-uid' }] }
const failed: PodLifeTimeArgs = { states: ['Failed'] }
const rest: readonly Row[] = [
  {
    name: 'an owner of that kind is excluded',
    args: { ...failed, ownerKinds: { exclude: ['Job'] } },
    pods: { a: { phase: 'Failed', ...job }, b: { phase: 'Failed' } },
    expected: ['b'],
  },
  {
    name: 'only an owner of that kind is included',
    args: { ...failed, ownerKinds: { include: ['Job'] } },
    pods: { a: { phase: 'Failed', ...job }, b: { phase: 'Failed' } },
    expected: ['a'],
  },
  {
    name: 'empty lists of kinds exclude nothing',
    args: { ...failed, ownerKinds: { include: [], exclude: [] } },
    pods: { a: { phase: 'Failed' } },
    expected: ['a'],
  },
  {
    name: 'a container has ended with the code',
    args: { ...failed, exitCodes: [1] },
    pods: { a: { phase: 'Failed', containers: [{ exitCode: 1 }] } },
    expected: ['a'],
  },
  {
    name: 'a container has ended with another code',
    args: { ...failed, exitCodes: [2] },
    pods: { a: { phase: 'Failed', containers: [{ exitCode: 1 }] } },
    expected: [],
  },
  {
    name: 'the code alone is asked for',
    args: { exitCodes: [0, 137] },
    pods: { a: { containers: [{ exitCode: 137 }] }, b: {} },
    expected: ['a'],
  },
  {
    name: 'an init container has ended with the code, and those count',
    args: { exitCodes: [1], includingInitContainers: true },
    pods: { a: { initContainers: [{ exitCode: 1 }] } },
    expected: ['a'],
  },
  {
    name: 'an init container has ended with the code, and those do not count',
    args: { exitCodes: [1] },
    pods: { a: { initContainers: [{ exitCode: 1 }] } },
    expected: [],
  },
  {
    name: 'the code of an ephemeral container never counts',
    args: { exitCodes: [1], includingEphemeralContainers: true },
    pods: { a: { ephemeralContainers: [{ exitCode: 1 }] } },
    expected: [],
  },
  {
    name: 'age, state and owner together',
    args: { ...failed, maxPodLifeTimeSeconds: 0, ownerKinds: { exclude: ['Job'] } },
    pods: { a: { phase: 'Failed', ...job }, b: { phase: 'Failed' }, c: { phase: 'Failed', ...young } },
    expected: ['b'],
  },
]

describe.each([
  { about: 'age', rows: ages },
  { about: 'limits', rows: limits },
  { about: 'spares', rows: spared },
  { about: 'states', rows: states },
  { about: 'conditions', rows: conditions },
  { about: 'owners, exit codes, and all together', rows: rest },
])('$about', ({ rows }) => {
  test.each(rows)('$name', ({ args, pods, evictor, limits: most = {}, expected }) => {
    const world = {
      nodes: ['n1', 'n2'].map((name) => nodeView({ name })),
      pods: Object.entries(pods).map(([name, choices]) => podView({ name, ...choices })),
      evictor: defaultEvictor(evictor),
      outcomeOf: limitedBy(most),
    }
    expect(runPlugin(podLifeTime, args, world)).toEqual(expected)
  })
})

test('a pod that is leaving comes before older ones, and one that is to be left alone last', () => {
  const pods = ['a', 'b', 'c'].map((name, index) => podView({ name, createdMs: secondsAgo(900 - index) }))
  const rankOf = ({ name }: { name: string }) => ({ a: 2, b: 1 })[name] ?? 0
  expect(runPlugin(podLifeTime, tenMinutes, { nodes: [nodeView({ name: 'n1' })], pods, rankOf })).toEqual([
    'c',
    'b',
    'a',
  ])
})

test('pods on nodes outside the cycle stay', () => {
  const pods = [podView({ name: 'a', ...old }), podView({ name: 'b', ...old, nodeName: 'n9' })]
  expect(runPlugin(podLifeTime, tenMinutes, { nodes: [nodeView({ name: 'n1' })], pods })).toEqual(['a'])
})

test('only pods that are due are shown to the evictor', () => {
  const asked: string[] = []
  const evictor = {
    filter: ({ name }: { name: string }) => {
      asked.push(name)
      return 'no'
    },
    preEvictionFilter: () => undefined,
  }
  const pods = [podView({ name: 'a', ...old }), podView({ name: 'b', ...young })]
  expect(runPlugin(podLifeTime, tenMinutes, { nodes: [nodeView({ name: 'n1' })], pods, evictor })).toEqual([])
  expect(asked).toEqual(['a'])
})
