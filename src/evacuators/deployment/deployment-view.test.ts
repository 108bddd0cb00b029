import { expect, test } from 'vitest'
import {
  at,
  buildAppDeployment,
  buildAppEvacuation,
  buildAppPod,
  buildAppReplicaSet,
  nowMs,
} from '../../../test/build/deployment-view.ts'
import { buildWorkloadReader, buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import type { Deployment, ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import {
  deployments,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
} from '../../api/kubernetes/resources.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import { claimNames, deploymentUidOf, gatherDeployment, willBeCollected } from './deployment-view.ts'

interface Objects {
  readonly pods: readonly [Pod, ...Pod[]]
  readonly sets?: readonly ReplicaSet[]
  readonly deployment?: Deployment | undefined
}

function worldOf({ pods: all, sets = [buildAppReplicaSet(1)], deployment = buildAppDeployment() }: Objects) {
  const budget = (name: string, app: string) =>
    stored<PodDisruptionBudget>({
      metadata: { namespace: 'shop', name },
      spec: { selector: { matchLabels: { app } } },
    })
  return buildWorkloadWorld('shop', [
    [pods, ...all],
    [replicaSets, ...sets],
    deployment.metadata.name === 'none' ? [deployments] : [deployments, deployment],
    [podDisruptionBudgets, budget('web', 'web'), budget('api', 'api')],
    [persistentVolumeClaims, stored({ metadata: { namespace: 'shop', name: 'data' } })],
  ])
}

const gather = async (objects: Objects) => {
  const [pod] = objects.pods
  const turn = { pod, evacuation: buildAppEvacuation(pod), nowMs, signal: new AbortController().signal }
  return gatherDeployment(turn, worldOf(objects))
}
const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]) =>
  objects.map(({ metadata }) => metadata.name)
const none = buildAppDeployment({}, { name: 'none' })

test('a pod is seen with its Deployment, all its pods and the budgets that cover it', async () => {
  const released = buildAppPod('c', { releasedAgo: 5 })
  const stranger = buildAppPod('d', {
    owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: 'x', controller: true },
  })
  const view = await gather({ pods: [buildAppPod('a'), buildAppPod('b'), released, stranger] })
  expect(view.deployment?.metadata.name).toBe('web')
  expect(names(view.owned)).toEqual(['a', 'b'])
  expect(names(view.released)).toEqual(['c'])
  expect(names(view.budgets)).toEqual(['web'])
})

test('a pod that got its label back counts as owned before its ReplicaSet has adopted it', async () => {
  const { metadata, ...pod } = buildAppPod('b')
  const ownerReferences = metadata.ownerReferences?.map((owner) => ({ ...owner, controller: false })) ?? []
  const returning = { ...pod, metadata: { ...metadata, ownerReferences } }
  expect(names((await gather({ pods: [buildAppPod('a'), returning] })).owned)).toEqual(['a', 'b'])
  // Nor is it taken for a pod of no Deployment, which would be evicted at once.
  expect((await gather({ pods: [returning] })).deployment?.metadata.name).toBe('web')
  expect(deploymentUidOf(returning, worldOf({ pods: [returning] }))).toBe('deployment')
})

test('what an annotation says counts only for a pod without a controller that the ReplicaSet would adopt', async () => {
  const released = buildAppPod('b', { releasedAgo: 5 })
  const owned = {
    ...released,
    metadata: { ...released.metadata, ownerReferences: buildAppPod('b').metadata.ownerReferences ?? [] },
  }
  const stranger = { ...released, metadata: { ...released.metadata, labels: { app: 'till' } } }
  expect(names((await gather({ pods: [buildAppPod('a'), owned] })).released)).toEqual([])
  expect(names((await gather({ pods: [buildAppPod('a'), stranger] })).released)).toEqual([])
  expect((await gather({ pods: [stranger] })).replicaSet).toBeUndefined()
})

test.each([
  { name: 'another Deployment of the name is not the one', deployment: buildAppDeployment({}, { uid: 'other' }) },
  { name: 'a Deployment that is gone is not there', deployment: none },
])('$name', async ({ deployment }) => {
  expect((await gather({ pods: [buildAppPod('a')], deployment })).deployment).toBeUndefined()
  expect((await gather({ pods: [buildAppPod('a', { releasedAgo: 5 })], deployment })).deployment).toBeUndefined()
})

test('a released pod finds a ReplicaSet that was made anew, one that is owned does not', async () => {
  const sets = [buildAppReplicaSet(1, { metadata: { ...buildAppReplicaSet(1).metadata, uid: 'anew' } })]
  expect((await gather({ pods: [buildAppPod('a', { releasedAgo: 5 })], sets })).replicaSet?.metadata.uid).toBe('anew')
  expect((await gather({ pods: [buildAppPod('a')], sets })).replicaSet).toBeUndefined()
})

test('claims are read, those of ephemeral volumes are not', async () => {
  const pod = buildAppPod('a', { claim: 'data' })
  const withEphemeral = {
    ...pod,
    spec: { containers: [], volumes: [...(pod.spec?.volumes ?? []), { name: 'x', ephemeral: {} }] },
  }
  expect(claimNames(withEphemeral)).toEqual(['data'])
  expect(names((await gather({ pods: [withEphemeral] })).claims)).toEqual(['data'])
})

test.each([
  { name: 'a pod and one that was released are of one Deployment', pod: buildAppPod('a'), expected: 'deployment' },
  { name: 'a released pod', pod: buildAppPod('a', { releasedAgo: 5 }), expected: 'deployment' },
  { name: 'a pod of nobody is alone', pod: buildAppPod('a', { owner: 'none' }), expected: 'uid-a' },
])('$name', ({ pod, expected }) => {
  expect(deploymentUidOf(pod, worldOf({ pods: [pod] }))).toBe(expected)
})

test.each([
  { name: 'not deleted', metadata: {}, expected: false },
  {
    name: 'deleted after what it owns',
    metadata: { deletionTimestamp: at(1), finalizers: ['foregroundDeletion'] },
    expected: true,
  },
  {
    name: 'deleted without what it owns',
    metadata: { deletionTimestamp: at(1), finalizers: ['orphan'] },
    expected: false,
  },
])('$name: collected $expected', ({ metadata, expected }) => {
  expect(willBeCollected(stored<Deployment>({ metadata: { namespace: 'shop', ...metadata } }))).toBe(expected)
})

test('before anybody deletes a pod because its Deployment is gone, the API server is asked: of two watches one may be late', async () => {
  const pod = buildAppPod('a', { releasedAgo: 5 })
  const turn = { pod, evacuation: buildAppEvacuation(pod), nowMs, signal: new AbortController().signal }
  const leftBehind = buildAppReplicaSet(1, {
    metadata: storedMeta({ namespace: 'shop', name: 'web-5f6d', uid: 'set' }),
  })
  const cached = worldOf({ pods: [pod], deployment: none })
  const view = await gatherDeployment(turn, { ...cached, read: buildWorkloadReader([[replicaSets, leftBehind]]) })
  expect(view.replicaSet?.metadata.ownerReferences).toBeUndefined()
})
