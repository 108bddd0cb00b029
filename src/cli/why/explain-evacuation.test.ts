import { describe, expect, test } from 'vitest'
import { blockedCondition, evacuationOf, podOf } from '../../../test/build/why-view.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../api/kubernetes/meta.ts'
import type { NodeSilence } from '../../api/maintenance/node-silence.ts'
import { explainEnding, explainEvacuation, explainTerminating } from './explain-evacuation.ts'
import type { PodReport } from './report.ts'

const nowMs = Date.parse('2026-08-01T12:00:00Z')
const evacuators = [
  { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' },
  { evacuatorClass: 'backup.example.com', priority: 20_000 },
]
const describing = ['kubectl -n shop describe evacuation uid-0-web-0']

const readyPod: Pod = { ...podOf(), status: { conditions: [{ type: 'Ready', status: 'True' }] } }
const unreadyBudget = {
  kind: 'budget',
  budget: 'web',
  healthy: 1,
  needed: 2,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
} as const

const rows: readonly { name: string; evacuation: Evacuation; pod?: Pod; expected: Partial<PodReport> }[] = [
  {
    name: 'what blocks it is told in its own words',
    evacuation: evacuationOf({
      conditions: [blockedCondition('DisruptionBudget', 'ignored')],
      blockedBy: [{ kind: 'budget', budget: 'web', healthy: 1, needed: 1 }],
    }),
    expected: {
      phase: 'Blocked',
      reason: 'DisruptionBudget',
      message: 'waits for budget web (1 healthy, 1 needed)',
      since: '2026-08-01T11:55:00Z',
      blockedBy: { kind: 'budget', budget: 'web', healthy: 1, needed: 1 },
      commands: ['kubectl -n shop describe poddisruptionbudget web'],
    },
  },
  {
    name: 'an unready pod is told what its budget asks of it',
    evacuation: evacuationOf({
      conditions: [blockedCondition('DisruptionBudget', 'ignored')],
      blockedBy: [unreadyBudget],
    }),
    expected: {
      message: 'is not ready and waits for budget web (1 healthy, 2 needed)',
      blockedBy: unreadyBudget,
      commands: [
        'kubectl -n shop describe poddisruptionbudget web',
        `kubectl patch pdb web -n shop --type=merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`,
      ],
    },
  },
  {
    name: 'a pod that is ready by now waits as any other does',
    evacuation: evacuationOf({
      conditions: [blockedCondition('DisruptionBudget', 'ignored')],
      blockedBy: [unreadyBudget],
    }),
    pod: readyPod,
    expected: {
      message: 'waits for budget web (1 healthy, 2 needed)',
      commands: ['kubectl -n shop describe poddisruptionbudget web'],
    },
  },
  {
    name: 'silence is counted until now, not until the status was written',
    evacuation: evacuationOf({
      activeEvacuatorClass: 'backup.example.com',
      evacuationProgressTimestamp: '2026-08-01T11:35:00Z',
      conditions: [blockedCondition('EvacuatorSilent', '')],
      blockedBy: [
        { kind: 'silentEvacuator', evacuatorClass: 'backup.example.com', silentSeconds: 900, deadlineSeconds: 1_800 },
      ],
    }),
    expected: { message: 'waits for evacuator backup.example.com, silent for 25 of 30 min' },
  },
  {
    name: 'so is the time that its controller takes',
    evacuation: evacuationOf({
      conditions: [
        blockedCondition('ControllerTakeOver', ''),
        { ...blockedCondition('Asked', ''), type: 'ControllerAsked', lastTransitionTime: '2026-08-01T11:59:20Z' },
      ],
      blockedBy: [{ kind: 'controllerTakeover', waitedSeconds: 0, timeoutSeconds: 60 }],
    }),
    expected: { message: 'waits for its controller to take it away, 40 of 60 s' },
  },
  {
    name: 'an evacuator of others is quoted, and who follows it is named',
    evacuation: evacuationOf(
      {
        activeEvacuatorClass: 'backup.example.com',
        evacuationProgressTimestamp: '2026-08-01T11:50:00Z',
        conditions: [blockedCondition('CopyRunning', 'copied 3 of 8 GiB')],
      },
      { evacuators },
    ),
    expected: {
      phase: 'Blocked',
      reason: 'CopyRunning',
      message: 'waits: backup.example.com says copied 3 of 8 GiB',
      next: 'see to what it says; without progress until 2026-08-01T12:20:00Z, deployment.apps.k8s.io follows',
      commands: describing,
    },
  },
  {
    name: 'one that gives no words is quoted by its reason',
    evacuation: evacuationOf({ conditions: [blockedCondition('CopyRunning', '')] }),
    expected: { message: 'waits: its evacuator says CopyRunning' },
  },
  {
    name: 'an evacuator at work says how, until when, and who comes after it',
    evacuation: evacuationOf(
      {
        activeEvacuatorClass: 'deployment.apps.k8s.io',
        evacuationProgressTimestamp: '2026-08-01T11:59:50Z',
        expectedEvacuationFinishTime: '2026-08-01T12:00:20Z',
        message: 'Waits for its replacement',
      },
      { evacuators },
    ),
    expected: {
      phase: 'Evacuating',
      reason: 'deployment.apps.k8s.io',
      message: 'is evacuated by deployment.apps.k8s.io: Waits for its replacement',
      since: '2026-08-01T11:50:00Z',
      expectedFinish: '2026-08-01T12:00:20Z',
      next: 'nothing to do; without progress until 2026-08-01T12:29:50Z, an eviction follows',
      commands: [],
    },
  },
  {
    name: 'before the first turn nobody has begun',
    evacuation: evacuationOf({}, { evacuators }),
    expected: {
      phase: 'Evacuating',
      reason: 'Requested',
      message: 'is to be evacuated, and no evacuator has reported yet',
    },
  },
  {
    name: 'without an evacuator it is evicted',
    evacuation: evacuationOf(),
    expected: { phase: 'Evacuating', reason: 'Eviction', message: 'is being evicted' },
  },
  {
    name: 'after the last one too',
    evacuation: evacuationOf(
      {
        activeEvacuatorClass: 'deployment.apps.k8s.io',
        activeEvacuatorCompleted: true,
        message: 'The pod is evicted: it is of no Deployment',
      },
      { evacuators },
    ),
    expected: { reason: 'Eviction', message: 'is being evicted: The pod is evicted: it is of no Deployment' },
  },
]

describe('a pod with an Evacuation', () => {
  test.each(rows)('$name', ({ evacuation, pod, expected }) => {
    expect(explainEvacuation(evacuation, pod ?? podOf(), nowMs)).toMatchObject(expected)
  })
})

const ending = (finalizers: string[]) => ({
  ...evacuationOf({}, { evacuators }),
  metadata: { ...evacuationOf().metadata, deletionTimestamp: '2026-08-01T11:59:00Z', finalizers },
})
const hold = 'evacuation.coordination.k8s.io/instigator_deployment.apps.k8s.io'
const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'

test.each<{ name: string; finalizers: string[]; askingAgain: string[]; expected: Partial<PodReport> }>([
  {
    name: 'that nobody asks for again lets it stay',
    finalizers: [hold],
    askingAgain: [],
    expected: {
      phase: 'Unaffected',
      reason: 'Withdrawn',
      message: 'stays: its evacuation is being taken back',
      next: 'nothing to do; deployment.apps.k8s.io puts back what it changed',
    },
  },
  {
    name: 'that a drain asks for again only delays it',
    finalizers: [ours, hold],
    askingAgain: ['os-upgrade'],
    expected: {
      phase: 'Pending',
      reason: 'EvacuationDeleted',
      message: 'waits: its Evacuation was deleted and is still being undone',
      next: 'nothing to do; deployment.apps.k8s.io puts back what it changed; os-upgrade asks again once it is gone',
    },
  },
  {
    name: 'that only the drain holds goes soon',
    finalizers: [ours],
    askingAgain: ['os-upgrade'],
    expected: {
      phase: 'Pending',
      next: 'nothing to do; the Evacuation goes within seconds, if Lifeboat is running; os-upgrade asks again once it is gone',
    },
  },
  {
    name: 'that others hold blocks it until they let go',
    finalizers: [ours, 'a.io/audit'],
    askingAgain: ['os-upgrade'],
    expected: {
      phase: 'Blocked',
      reason: 'EvacuationDeleted',
      next: 'the Evacuation goes when its finalizer a.io/audit is taken off by who put it there; os-upgrade asks again once it is gone',
      commands: describing,
    },
  },
])('a deleted Evacuation $name', ({ finalizers, askingAgain, expected }) => {
  expect(explainEnding(ending(finalizers), askingAgain)).toMatchObject(expected)
})

const deleted = (deletionTimestamp: string, more: Partial<NamespacedMeta> = {}) =>
  podOf({ deletionTimestamp, deletionGracePeriodSeconds: 30, ...more })

const silence: NodeSilence = { node: 'node-1', nodeReady: 'Unknown', since: '2026-08-01T11:58:00Z' }

test.each<{ name: string; pod: ReturnType<typeof podOf>; silence?: NodeSilence; expected: Partial<PodReport> }>([
  {
    name: 'within its grace period nothing is wrong',
    pod: deleted('2026-08-01T12:00:10Z'),
    expected: {
      phase: 'Terminating',
      since: '2026-08-01T11:59:40Z',
      message: 'has been terminating for 20 of 30 s grace',
      commands: [],
    },
  },
  {
    name: 'beyond it something is, and its node is where to look',
    pod: deleted('2026-08-01T11:59:50Z'),
    expected: { phase: 'Blocked', reason: 'Terminating', message: 'has been terminating for 40 of 30 s grace' },
  },
  {
    name: 'finalizers are named once the grace period is over',
    pod: deleted('2026-08-01T11:59:50Z', { finalizers: ['example.com/copy'] }),
    expected: { phase: 'Blocked', reason: 'FinalizersLeft', message: 'is deleted and held by example.com/copy' },
  },
  {
    name: 'a node that is silent is named before finalizers',
    pod: deleted('2026-08-01T11:59:50Z', { finalizers: ['example.com/copy'] }),
    silence,
    expected: {
      phase: 'Blocked',
      reason: 'NodeSilent',
      message: 'waits for its node node-1, which has been silent since 2026-08-01T11:58:00Z',
      blockedBy: { kind: 'silentNode', node: 'node-1' },
    },
  },
  {
    name: 'and a grace period is over first',
    pod: deleted('2026-08-01T12:00:10Z'),
    silence,
    expected: { phase: 'Terminating', reason: 'Terminating' },
  },
  {
    name: 'and not before',
    pod: deleted('2026-08-01T12:00:10Z', { finalizers: ['example.com/copy'] }),
    expected: { phase: 'Terminating', reason: 'Terminating' },
  },
])('a pod that is on its way out: $name', ({ pod, silence: seen, expected }) => {
  expect(explainTerminating(pod, seen, nowMs)).toMatchObject(expected)
})
