import { describe, expect, test } from 'vitest'
import {
  at,
  buildAppDeployment,
  buildAppPod,
  buildAppReplicaSet,
  buildDeploymentView,
  nowMs,
  type PodChoices,
} from '../../../test/build/deployment-view.ts'
import { renderBlocker } from '../../api/blocker/blocker.ts'
import type { PersistentVolumeClaim, Pod } from '../../api/kubernetes/core.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import { annotations } from '../../api/names.ts'
import type { WorkloadStep } from '../workload/workload-evacuator.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { decideStep } from './decide-step.ts'
import type { DeploymentView } from './deployment-view.ts'

const pod = (name: string, choices?: PodChoices) => buildAppPod(name, choices)
const noSurge = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } as const
const optedIn = { annotations: { [annotations.evacuationStrategy]: 'MaxUnavailable' } }
const claim = (...accessModes: string[]): PersistentVolumeClaim => ({
  metadata: storedMeta({ namespace: 'shop', name: 'data' }),
  spec: { accessModes },
})
const budget = (disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: storedMeta({ namespace: 'shop', name: 'web' }),
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1 },
})
const unschedulable: PodChoices = {
  readyFor: false,
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }],
}
const pulling = (reason: string): PodChoices => ({
  readyFor: false,
  createdAgo: 5,
  status: {
    phase: 'Pending',
    containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { waiting: { reason } } }],
  },
})

/** In the words of the tables. */
function say(step: WorkloadStep): string {
  switch (step.kind) {
    case 'write':
      return step.write.kind === 'deletePod'
        ? `deletes ${step.write.pod.name}`
        : `patches ${step.write.object.metadata.name}`
    case 'waiting':
      return 'kind' in step.because ? `waits: ${renderBlocker(step.because)}` : `waits: ${step.because.reason}`
    case 'working':
    case 'completed':
      return `${step.kind}: ${step.message}`
    case 'evict':
      return 'evicts'
    default:
      return step satisfies never
  }
}

interface Row {
  readonly name: string
  readonly pods: readonly [Pod, ...Pod[]]
  readonly replicas?: number
  readonly view?: Partial<DeploymentView>
  readonly expected: string | RegExp
}

const viewOf = ({ pods, replicas = 1, view = {} }: Row) => {
  const deployment = buildAppDeployment({ replicas })
  const replicaSets = [buildAppReplicaSet(replicas)]
  return buildDeploymentView(pods, { deployment, replicaSets, ...view })
}

const rows = (table: readonly Row[]) =>
  test.each(table)('$name', (row) => {
    const said = say(decideStep(viewOf(row), nowMs))
    if (typeof row.expected === 'string') expect(said).toBe(row.expected)
    else expect(said).toMatch(row.expected)
  })

describe('a pod of a Deployment that may surge', () => {
  rows([
    { name: 'is released', pods: [pod('a')], expected: 'patches a' },
    { name: 'is released beside others', pods: [pod('a'), pod('b')], replicas: 2, expected: 'patches a' },
    {
      name: 'waits while another one is released, though its replacement is not there yet',
      pods: [pod('a'), pod('b', { releasedAgo: 1 })],
      replicas: 2,
      expected: 'working: Waits for its turn in Deployment web: a replacement is being created',
    },
    {
      name: 'waits while a rollout uses the surge',
      pods: [pod('a'), pod('new', { readyFor: false, createdAgo: 5 })],
      view: { replicaSets: [buildAppReplicaSet(1), buildAppReplicaSet(1)] },
      expected: 'working: Waits for its turn in Deployment web: new is not available yet',
    },
    {
      name: 'waits while a rollout is about to use the surge',
      pods: [pod('a')],
      view: { replicaSets: [buildAppReplicaSet(1), buildAppReplicaSet(1)] },
      expected: /^working: Waits for its turn/,
    },
    {
      name: 'does not count pods that terminate',
      pods: [pod('a'), pod('b'), pod('c', { releasedAgo: 9, terminating: true })],
      replicas: 2,
      expected: 'patches a',
    },
    {
      name: 'says that it waits for its turn when those ahead are stuck',
      pods: [pod('a'), pod('b', { releasedAgo: 9 }), pod('c', unschedulable)],
      replicas: 2,
      expected: 'waits: shop/a waits for its turn (Deployment web allows 1 at once, maxSurge)',
    },
    {
      name: 'names the rollout that is stuck',
      pods: [pod('a'), pod('new', pulling('ErrImagePull'))],
      view: { replicaSets: [buildAppReplicaSet(1), buildAppReplicaSet(1)] },
      expected: /^waits: shop\/a waits for its replacement new, which is not ready \(container main: ErrImagePull\)/,
    },
  ])
})

describe('a released pod', () => {
  const released = pod('a', { releasedAgo: 30 })
  rows([
    { name: 'goes when its replacement is available', pods: [released, pod('b')], expected: 'evicts' },
    {
      name: 'stays until there is a replacement',
      pods: [released],
      expected: 'working: Waits for its replacement: a replacement is being created',
    },
    {
      name: 'stays until the replacement is ready',
      pods: [released, pod('b', { readyFor: false, createdAgo: 5 })],
      expected: 'working: Waits for its replacement: b is not available yet',
    },
    {
      name: 'stays until the replacement has been ready for long enough',
      pods: [released, pod('b', { readyFor: 10 })],
      view: { deployment: buildAppDeployment({ minReadySeconds: 30 }) },
      expected: 'working: Waits for its replacement: b is not available yet',
    },
    {
      name: 'goes when the replacement has been ready for long enough',
      pods: [released, pod('b', { readyFor: 30 })],
      view: { deployment: buildAppDeployment({ minReadySeconds: 30 }) },
      expected: 'evicts',
    },
    {
      name: 'stays when the replacement is on its way out again',
      pods: [released, pod('b', { terminating: true })],
      expected: /^working/,
    },
    {
      name: 'lets one that was released before it go first',
      pods: [released, pod('b', { releasedAgo: 60 }), pod('c'), pod('d', { readyFor: false, createdAgo: 5 })],
      replicas: 2,
      expected: 'working: Waits for its replacement: d is not available yet',
    },
    {
      name: 'goes before one that was released after it',
      pods: [released, pod('b', { releasedAgo: 10 }), pod('c'), pod('d', { readyFor: false, createdAgo: 5 })],
      replicas: 2,
      expected: 'evicts',
    },
    {
      name: 'is not held up by one that was released before it and is down',
      pods: [released, pod('b', { releasedAgo: 60, readyFor: false }), pod('c'), pod('d')],
      replicas: 2,
      expected: 'evicts',
    },
    { name: 'goes at once when the Deployment is scaled to 0', pods: [released], replicas: 0, expected: 'evicts' },
    {
      name: 'waits for all pods when the Deployment is scaled up',
      pods: [released, pod('b'), pod('c', { readyFor: false, createdAgo: 5 })],
      replicas: 2,
      expected: /^working/,
    },
    {
      name: 'goes on although the strategy has become Recreate',
      pods: [released, pod('b')],
      view: { deployment: buildAppDeployment({ strategy: { type: 'Recreate' } }) },
      expected: 'evicts',
    },
    {
      name: 'names the scheduler’s reason',
      pods: [released, pod('b', unschedulable)],
      expected: 'waits: shop/a waits for its replacement b, which does not fit (0/3 nodes are available)',
    },
    {
      name: 'names the trouble with the image',
      pods: [released, pod('b', pulling('ImagePullBackOff'))],
      expected: /^waits: shop\/a waits for its replacement b, which is not ready \(container main: ImagePullBackOff\)/,
    },
    {
      name: 'does not mind a container that is being created',
      pods: [released, pod('b', pulling('ContainerCreating'))],
      expected: /^working/,
    },
    {
      name: 'names a replacement that has not become ready in time',
      pods: [released, pod('b', { readyFor: false, createdAgo: 601 })],
      expected: /^waits: shop\/a waits for its replacement b, which is not ready/,
    },
    {
      name: 'works as long as one of two replacements gets on',
      pods: [released, pod('b', unschedulable), pod('c', { readyFor: false, createdAgo: 5 })],
      replicas: 2,
      expected: /^working/,
    },
    {
      name: 'names the quota that refuses a replacement',
      pods: [released],
      view: {
        replicaSets: [
          buildAppReplicaSet(1, {
            status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: few' }] },
          }),
        ],
      },
      expected: 'waits: shop/a waits for ReplicaSet web-5f6d, which cannot create a replacement (exceeded quota: few)',
    },
    {
      name: 'says when nobody creates a replacement',
      pods: [pod('a', { releasedAgo: 601 })],
      expected: /which cannot create a replacement \(none was created within 10 min\)/,
    },
    {
      name: 'does not ask when its budget has just been without room: that is about to be counted anew',
      pods: [released, pod('b', { readyFor: 1 })],
      view: { budgets: [budget(0)] },
      expected: 'working: Waits for budget web to count its pods',
    },
    {
      name: 'names the budget that keeps it',
      pods: [released, pod('b', { readyFor: 20 })],
      view: { budgets: [budget(0)] },
      expected: 'waits: shop/a waits for budget web (1 healthy, 1 needed)',
    },
    {
      name: 'asks all the same after half a minute',
      pods: [released, pod('b', { readyFor: 31 })],
      view: { budgets: [budget(0)] },
      expected: 'evicts',
    },
    {
      name: 'asks again half a minute after the last time',
      pods: [released, pod('b', { readyFor: 300 })],
      view: { budgets: [budget(0)], evictionAskedMs: nowMs - 10_000 },
      expected: /^waits: shop\/a waits for budget web/,
    },
    {
      name: 'goes when every budget has room',
      pods: [released, pod('b')],
      view: { budgets: [budget(1)] },
      expected: 'evicts',
    },
  ])
})

describe('a pod of a Deployment that must not surge', () => {
  rows([
    {
      name: 'is evicted if the strategy has become Recreate',
      pods: [pod('a')],
      view: { deployment: buildAppDeployment({ strategy: { type: 'Recreate' } }) },
      expected: 'completed: The pod is evicted: Deployment web cannot surge, its strategy is Recreate',
    },
    {
      name: 'is evicted without the opt-in',
      pods: [pod('a')],
      view: { deployment: buildAppDeployment({ strategy: noSurge }) },
      expected: /^completed: .*maxSurge 0 and no annotation/,
    },
    {
      name: 'waits while a rollout takes pods down itself',
      pods: [pod('a'), pod('b')],
      replicas: 2,
      view: {
        deployment: buildAppDeployment({ replicas: 2, strategy: noSurge }, optedIn),
        replicaSets: [buildAppReplicaSet(2), buildAppReplicaSet(0, { status: { replicas: 1 } })],
      },
      expected: /^waits: shop\/a waits for its turn/,
    },
    {
      name: 'goes, with the opt-in, as long as enough others are available',
      pods: [pod('a'), pod('b')],
      view: { deployment: buildAppDeployment({ replicas: 2, strategy: noSurge }, optedIn) },
      expected: 'evicts',
    },
    {
      name: 'waits, with the opt-in, until the last one is replaced',
      pods: [pod('a'), pod('b', { readyFor: false, createdAgo: 5 })],
      view: {
        deployment: buildAppDeployment({ replicas: 2, strategy: noSurge }, optedIn),
        replicaSets: [buildAppReplicaSet(2)],
      },
      expected: 'working: Waits for its turn in Deployment web: b is not available yet',
    },
    {
      name: 'waits, with the opt-in, while one terminates',
      pods: [pod('a'), pod('b', { terminating: true })],
      view: {
        deployment: buildAppDeployment({ replicas: 2, strategy: noSurge }, optedIn),
        replicaSets: [buildAppReplicaSet(2)],
      },
      expected: /^working: Waits for its turn/,
    },
  ])
})

describe('a pod that nobody can replace first', () => {
  rows([
    {
      name: 'is evicted when it is not ready',
      pods: [pod('a', { readyFor: false })],
      expected: 'completed: The pod is evicted, not replaced first: it is not ready',
    },
    {
      name: 'is evicted when it has finished',
      pods: [pod('a', { status: { phase: 'Failed' } })],
      expected: /^completed: The pod has finished/,
    },
    {
      name: 'is evicted when its volume can be on one node only',
      pods: [pod('a')],
      view: { claims: [claim('ReadWriteOnce')] },
      expected: 'completed: The pod is evicted, not replaced first: volume claim data can be on one node only',
    },
    {
      name: 'is evicted when its volume can be with one pod only',
      pods: [pod('a')],
      view: { claims: [claim('ReadWriteOncePod')] },
      expected: /^completed/,
    },
    {
      name: 'is released when its volume can be everywhere',
      pods: [pod('a')],
      view: { claims: [claim('ReadWriteOnce', 'ReadWriteMany')] },
      expected: 'patches a',
    },
  ])
})

describe('without its Deployment', () => {
  const released = pod('a', { releasedAgo: 30 })
  const orphan = buildAppReplicaSet(1, { metadata: storedMeta({ namespace: 'shop', name: 'web-5f6d', uid: 'set' }) })
  const gone = { deployment: undefined, replicaSet: undefined, replicaSets: [] }
  rows([
    {
      name: 'a released pod waits for the garbage collector, which deletes it with its ReplicaSet',
      pods: [released],
      view: gone,
      expected: 'waits: OwnerGone',
    },
    {
      name: 'a released pod waits for it also while its ReplicaSet has not been collected yet',
      pods: [released],
      view: { deployment: undefined },
      expected: 'waits: OwnerGone',
    },
    {
      name: 'a released pod waits for it also when the Deployment waits for what it owns to go',
      pods: [released, pod('b')],
      view: { deployment: buildAppDeployment({}, { deletionTimestamp: at(1), finalizers: ['foregroundDeletion'] }) },
      expected: 'waits: OwnerGone',
    },
    {
      name: 'a pod that says it was released from a Deployment that never was is evicted',
      pods: [pod('a', { releasedAgo: 30, owner: 'none' })],
      view: gone,
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a pod of a StatefulSet that says so too is evicted',
      pods: [
        {
          ...released,
          metadata: {
            ...released.metadata,
            ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true }],
          },
        },
      ],
      view: gone,
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a released pod waits for the ReplicaSet that was left behind to replace it',
      pods: [released, pod('b', { readyFor: false })],
      view: { deployment: undefined, replicaSet: orphan, replicaSets: [orphan] },
      expected: 'waits: OwnerGone',
    },
    {
      name: 'a released pod is evicted once the ReplicaSet that was left behind has replaced it',
      pods: [released, pod('b')],
      view: { deployment: undefined, replicaSet: orphan, replicaSets: [orphan] },
      expected: /^completed: The pod is evicted: its Deployment is gone/,
    },
    {
      name: 'a pod of a ReplicaSet that was left behind is evicted',
      pods: [pod('a')],
      view: { deployment: undefined, replicaSet: orphan },
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a pod of nobody is evicted',
      pods: [pod('a', { owner: 'none' })],
      view: gone,
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a pod whose ReplicaSet is being deleted goes with it',
      pods: [pod('a')],
      view: gone,
      expected: 'waits: OwnerGone',
    },
    {
      name: 'a pod of a StatefulSet that names this class is evicted',
      pods: [
        pod('a', { owner: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true } }),
      ],
      view: gone,
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a pod of an Argo Rollout that names this class is evicted',
      pods: [pod('a')],
      view: {
        deployment: undefined,
        replicaSet: buildAppReplicaSet(1, {
          metadata: {
            namespace: 'shop',
            name: 'web-5f6d',
            uid: 'set',
            resourceVersion: '1',
            ownerReferences: [
              { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web', uid: 'r', controller: true },
            ],
          },
        }),
      },
      expected: 'completed: The pod is evicted: it is of no Deployment',
    },
    {
      name: 'a pod that has been put back waits to be adopted',
      pods: [pod('a', { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5f6d', uid: 'set' } })],
      expected: 'waits: NotAdopted',
    },
    {
      name: 'a pod with its label back waits to be adopted',
      pods: [pod('a', { owner: 'none' })],
      expected: 'waits: NotAdopted',
    },
  ])
})

test('a pod that an older version released is tied to its ReplicaSet before anything else', () => {
  const released = pod('a', { releasedAgo: 30, owner: 'none' })
  const view = buildDeploymentView([released, pod('b')])
  expect(decideStep(view, nowMs)).toMatchObject({
    kind: 'write',
    write: { kind: 'patch', change: { metadata: { ownerReferences: [{ uid: 'set', controller: false }] } } },
  })
})

test('a stuck replacement is told without a word of progress, one on its way with it', () => {
  const view = buildDeploymentView([pod('a', { releasedAgo: 30 }), pod('b', unschedulable)])
  expect(decideStep(view, nowMs).kind).toBe('waiting')
})

test('a pod that becomes available by and by is looked at again just then', () => {
  const view = buildDeploymentView([pod('a', { releasedAgo: 30 }), pod('b', { readyFor: 10 })], {
    deployment: buildAppDeployment({ minReadySeconds: 30 }),
  })
  expect(decideStep(view, nowMs)).toMatchObject({ kind: 'working', againInMs: 20_000 })
})

describe('when a replacement should be available', () => {
  const other = pod('other', { createdAgo: 3_600, readyFor: 3_560 })
  const starting = pod('new', { createdAgo: 8, readyFor: false })
  const expectedIn = (pods: readonly [Pod, ...Pod[]]) => {
    const step = decideStep(viewOf({ name: '', pods, replicas: 2, expected: '' }), nowMs)
    const { expectedFinishMs } = step as { readonly expectedFinishMs?: number }
    return expectedFinishMs === undefined ? undefined : (expectedFinishMs - nowMs) / 1_000
  }

  test.each<{ name: string; pods: readonly [Pod, ...Pod[]]; expected: number | undefined }>([
    {
      name: 'the others took 40 s, and it was released 10 s ago',
      pods: [pod('a', { releasedAgo: 10, createdAgo: 3_600, readyFor: 3_560 }), other, starting],
      expected: 30,
    },
    {
      name: 'it takes longer than the others did',
      pods: [pod('a', { releasedAgo: 50, createdAgo: 3_600, readyFor: 3_560 }), other, starting],
      expected: undefined,
    },
    {
      name: 'no pod shows how long a start takes',
      pods: [
        pod('a', { releasedAgo: 10, createdAgo: 3_600, readyFor: 60 }),
        pod('other', { createdAgo: 3_600, readyFor: 60 }),
        starting,
      ],
      expected: undefined,
    },
    { name: 'it waits for its turn', pods: [pod('a'), other, starting], expected: undefined },
  ])('$name', ({ pods, expected }) => {
    expect(expectedIn(pods)).toBe(expected)
  })
})
