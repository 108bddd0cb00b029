import { describe, expect, test } from 'vitest'
import { parsedArgs, policyWithArgs, problemsInArgs } from '../../../test/build/descheduler-policy.ts'
import { parsePolicy } from './parse-policy.ts'

describe('args', () => {
  test.each([
    {
      name: 'PodLifeTime may have the age alone',
      plugin: 'PodLifeTime' as const,
      args: '{ maxPodLifeTimeSeconds: 0 }',
      expected: { maxPodLifeTimeSeconds: 0 },
    },
    {
      name: 'PodLifeTime may have states alone, of phases, reasons and containers',
      plugin: 'PodLifeTime' as const,
      args: '{ states: [Succeeded, NodeLost, ImagePullBackOff, OOMKilled], exitCodes: [] }',
      expected: { states: ['Succeeded', 'NodeLost', 'ImagePullBackOff', 'OOMKilled'] },
    },
    {
      name: 'PodLifeTime may have all of its args',
      plugin: 'PodLifeTime' as const,
      args: `{ maxPodLifeTimeSeconds: 86400, states: [Failed], exitCodes: [137, -1], ownerKinds: { exclude: [Job] },
        conditions: [{ reason: PodCompleted, status: "True", minTimeSinceLastTransitionSeconds: 60 }, { type: Ready }],
        includingInitContainers: true, includingEphemeralContainers: false, namespaces: { exclude: [kube-system] },
        labelSelector: { matchLabels: { app: cart } } }`,
      expected: {
        maxPodLifeTimeSeconds: 86_400,
        states: ['Failed'],
        exitCodes: [137, -1],
        ownerKinds: { exclude: ['Job'] },
        conditions: [
          { reason: 'PodCompleted', status: 'True', minTimeSinceLastTransitionSeconds: 60 },
          { type: 'Ready' },
        ],
        includingInitContainers: true,
        includingEphemeralContainers: false,
        namespaces: { exclude: ['kube-system'] },
        labelSelector: { matchLabels: { app: 'cart' } },
      },
    },
    {
      name: 'RemoveFailedPods waits an hour by default',
      plugin: 'RemoveFailedPods' as const,
      args: 'null',
      expected: { minPodLifetimeSeconds: 3_600 },
    },
    {
      name: 'RemoveFailedPods may have all of its args, and wait no time',
      plugin: 'RemoveFailedPods' as const,
      args: `{ minPodLifetimeSeconds: 0, reasons: [NodeAffinity], exitCodes: [1], excludeOwnerKinds: [Job],
        includingInitContainers: true, namespaces: { include: [a] } }`,
      expected: {
        minPodLifetimeSeconds: 0,
        reasons: ['NodeAffinity'],
        exitCodes: [1],
        excludeOwnerKinds: ['Job'],
        includingInitContainers: true,
        namespaces: { include: ['a'] },
      },
    },
    {
      name: 'RemovePodsHavingTooManyRestarts has its threshold',
      plugin: 'RemovePodsHavingTooManyRestarts' as const,
      args: '{ podRestartThreshold: 100, includingInitContainers: true, states: [CrashLoopBackOff, Running] }',
      expected: { podRestartThreshold: 100, includingInitContainers: true, states: ['CrashLoopBackOff', 'Running'] },
    },
    {
      name: 'RemovePodsViolatingNodeTaints needs none',
      plugin: 'RemovePodsViolatingNodeTaints' as const,
      args: '{}',
      expected: {},
    },
    {
      name: 'RemovePodsViolatingNodeTaints may leave taints out',
      plugin: 'RemovePodsViolatingNodeTaints' as const,
      args: '{ excludedTaints: [dedicated=special, reserved], includedTaints: [], includePreferNoSchedule: yes }',
      expected: { excludedTaints: ['dedicated=special', 'reserved'], includePreferNoSchedule: true },
    },
    {
      name: 'RemovePodsViolatingNodeTaints may look at some taints alone',
      plugin: 'RemovePodsViolatingNodeTaints' as const,
      args: '{ includedTaints: [spot] }',
      expected: { includedTaints: ['spot'] },
    },
    {
      name: 'RemovePodsViolatingNodeAffinity has its types',
      plugin: 'RemovePodsViolatingNodeAffinity' as const,
      args: '{ nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution] }',
      expected: { nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
    },
  ])('$name', ({ plugin, args, expected }) => expect(parsedArgs(plugin, args)).toStrictEqual(expected))
})

const mustHaveCriterion = 'must have at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes'
const podStates =
  'Running, Pending, Succeeded, Failed, Unknown, NodeAffinity, NodeLost, Shutdown, UnexpectedAdmissionError, ' +
  'PodInitializing, ContainerCreating, CreateContainerConfigError, CreateContainerError, ImagePullBackOff, ' +
  'CrashLoopBackOff, ErrImagePull, InvalidImageName, OOMKilled, Error, Completed, DeadlineExceeded, Evicted, ' +
  'ContainerCannotRun, StartError'

describe('PodLifeTime', () => {
  test.each([
    { name: 'without args', args: 'null', expected: [`args is missing: ${mustHaveCriterion}`] },
    {
      name: 'with what is no criterion',
      args: '{ states: [], includingInitContainers: true }',
      expected: [`args is {"states":[],"includingInitContainers":true}: ${mustHaveCriterion}`],
    },
    {
      name: 'with a negative age',
      args: '{ maxPodLifeTimeSeconds: -1 }',
      expected: ['args.maxPodLifeTimeSeconds is -1: must be a whole number of at least 0'],
    },
    {
      name: 'with an age as text',
      args: '{ maxPodLifeTimeSeconds: 1h }',
      expected: ['args.maxPodLifeTimeSeconds is "1h": must be a whole number of at least 0'],
    },
    {
      name: 'with an unknown state',
      args: '{ states: [Running, NodeRunning] }',
      expected: [`args.states[1] is "NodeRunning": must be one of ${podStates}`],
    },
    {
      name: 'with the name that states had before',
      args: '{ maxPodLifeTimeSeconds: 1, podStatusPhases: [Running] }',
      expected: [
        'args.podStatusPhases is ["Running"]: there is no such field; there are conditions, exitCodes, includingEphemeralContainers, includingInitContainers, labelSelector, maxPodLifeTimeSeconds, namespaces, ownerKinds, states',
      ],
    },
    {
      name: 'with an empty condition',
      args: '{ conditions: [{ type: Ready }, { type: "" }] }',
      expected: [
        'args.conditions[1] is {"type":""}: must have at least one of type, status, reason, minTimeSinceLastTransitionSeconds',
      ],
    },
    {
      name: 'with a status that is no text',
      args: '{ conditions: [{ type: Ready, status: true }] }',
      expected: ['args.conditions[0].status is true: must be a string'],
    },
    {
      name: 'with a negative time of a condition',
      args: '{ conditions: [{ type: Ready, minTimeSinceLastTransitionSeconds: -5 }] }',
      expected: ['args.conditions[0].minTimeSinceLastTransitionSeconds is -5: must be a whole number of at least 0'],
    },
    {
      name: 'with another field in a condition',
      args: '{ conditions: [{ type: Ready, message: x }] }',
      expected: [
        'args.conditions[0].message is "x": there is no such field; there are minTimeSinceLastTransitionSeconds, reason, status, type',
      ],
    },
    {
      name: 'with an exit code beyond 32 bits',
      args: '{ exitCodes: [2147483648] }',
      expected: ['args.exitCodes[0] is 2147483648: must be a whole number from -2147483648 to 2147483647'],
    },
    {
      name: 'with owner kinds in both ways',
      args: '{ exitCodes: [1], ownerKinds: { include: [Job], exclude: [ReplicaSet] } }',
      expected: [
        'args.ownerKinds is {"include":["Job"],"exclude":["ReplicaSet"]}: must have include or exclude, not both',
      ],
    },
    {
      name: 'with a flag as text',
      args: '{ exitCodes: [1], includingEphemeralContainers: "true" }',
      expected: ['args.includingEphemeralContainers is "true": must be true or false'],
    },
  ])('is wrong $name', ({ args, expected }) => expect(problemsInArgs('PodLifeTime', args)).toEqual(expected))
})

describe('other plugins', () => {
  test.each([
    {
      name: 'RemoveFailedPods with a negative age',
      plugin: 'RemoveFailedPods',
      args: '{ minPodLifetimeSeconds: -1 }',
      expected: ['args.minPodLifetimeSeconds is -1: must be a whole number of at least 0'],
    },
    {
      name: 'RemoveFailedPods with the spelling of another plugin',
      plugin: 'RemoveFailedPods',
      args: '{ minPodLifeTimeSeconds: 1 }',
      expected: ['args.minPodLifeTimeSeconds is 1: there is no such field; did you mean minPodLifetimeSeconds?'],
    },
    {
      name: 'RemoveFailedPods with a reason that is a number',
      plugin: 'RemoveFailedPods',
      args: '{ reasons: [137] }',
      expected: ['args.reasons[0] is 137: must be a string'],
    },
    {
      name: 'RemoveFailedPods with an exit code as text',
      plugin: 'RemoveFailedPods',
      args: '{ exitCodes: ["1"] }',
      expected: ['args.exitCodes[0] is "1": must be a whole number from -2147483648 to 2147483647'],
    },
    {
      name: 'RemoveFailedPods with one owner kind outside of a list',
      plugin: 'RemoveFailedPods',
      args: '{ excludeOwnerKinds: Job }',
      expected: ['args.excludeOwnerKinds is "Job": must be a list'],
    },
    {
      name: 'RemovePodsHavingTooManyRestarts without a threshold',
      plugin: 'RemovePodsHavingTooManyRestarts',
      args: '{}',
      expected: ['args.podRestartThreshold is missing: must be a whole number from 1 to 2147483647'],
    },
    {
      name: 'RemovePodsHavingTooManyRestarts with a threshold of 0',
      plugin: 'RemovePodsHavingTooManyRestarts',
      args: '{ podRestartThreshold: 0 }',
      expected: ['args.podRestartThreshold is 0: must be a whole number from 1 to 2147483647'],
    },
    {
      name: 'RemovePodsHavingTooManyRestarts with a state of PodLifeTime',
      plugin: 'RemovePodsHavingTooManyRestarts',
      args: '{ podRestartThreshold: 1, states: [Pending] }',
      expected: ['args.states[0] is "Pending": must be one of Running, CrashLoopBackOff'],
    },
    {
      name: 'RemovePodsViolatingNodeTaints with taints in both ways',
      plugin: 'RemovePodsViolatingNodeTaints',
      args: '{ includedTaints: [a], excludedTaints: [b] }',
      expected: ['args.includedTaints is ["a"]: must be left out beside excludedTaints'],
    },
    {
      name: 'RemovePodsViolatingNodeTaints with a taint as an object',
      plugin: 'RemovePodsViolatingNodeTaints',
      args: '{ excludedTaints: [{ key: a }] }',
      expected: ['args.excludedTaints[0] is {"key":"a"}: must be a string'],
    },
    {
      name: 'RemovePodsViolatingNodeAffinity without args',
      plugin: 'RemovePodsViolatingNodeAffinity',
      args: 'null',
      expected: [
        'args.nodeAffinityType is missing: must have at least one of requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution',
      ],
    },
    {
      name: 'RemovePodsViolatingNodeAffinity with an empty list of types',
      plugin: 'RemovePodsViolatingNodeAffinity',
      args: '{ nodeAffinityType: [] }',
      expected: [
        'args.nodeAffinityType is []: must have at least one of requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution',
      ],
    },
    {
      name: 'RemovePodsViolatingInterPodAntiAffinity with args of DefaultEvictor',
      plugin: 'RemovePodsViolatingInterPodAntiAffinity',
      args: '{ nodeFit: true }',
      expected: ['args.nodeFit is true: there is no such field; there are labelSelector, namespaces'],
    },
    {
      name: 'RemovePodsViolatingInterPodAntiAffinity with a list of args',
      plugin: 'RemovePodsViolatingInterPodAntiAffinity',
      args: '[labelSelector]',
      expected: ['args is ["labelSelector"]: must be an object'],
    },
  ])('$name is wrong', ({ plugin, args, expected }) => expect(problemsInArgs(plugin, args)).toEqual(expected))

  test('an unknown type of node affinity is only warned of', () => {
    const text = policyWithArgs('RemovePodsViolatingNodeAffinity', '{ nodeAffinityType: [required] }')
    expect(parsePolicy(text).warnings).toEqual([
      'profile p, plugin RemovePodsViolatingNodeAffinity: args.nodeAffinityType has "required", which has no effect',
    ])
  })
})
