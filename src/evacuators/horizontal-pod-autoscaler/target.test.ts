import { describe, expect, test } from 'vitest'
import { buildWorkloadReader, buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import type { Deployment, ReplicaSet, StatefulSet } from '../../api/kubernetes/apps.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta, OwnerReference } from '../../api/kubernetes/meta.ts'
import { deployments, pods, replicaSets, statefulSets } from '../../api/kubernetes/resources.ts'
import { stored } from '../../../test/build/stored.ts'
import { autoscalersOf, podsOf, readTarget, targetIn, targetReferenceIn, type TargetReference } from './target.ts'

const owned = (kind: string, name: string, uid: string, change: Partial<OwnerReference> = {}) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true, ...change }],
})
const podOf = (name: string, metadata: Partial<NamespacedMeta>) =>
  stored<Pod>({ metadata: { name, namespace: 'shop', uid: name, ...metadata } })
const setOf = (name: string, uid: string, metadata: Partial<NamespacedMeta> = {}) =>
  stored<ReplicaSet>({ metadata: { namespace: 'shop', name, uid, ...metadata } })

const ofDeployment = setOf('web-1', 'set-1', owned('Deployment', 'web', 'web'))
const earlier = setOf('web-0', 'set-0', owned('Deployment', 'web', 'web'))
const alone = setOf('alone', 'alone')
const ofRollout = setOf('argo-1', 'argo-1', owned('Rollout', 'argo', 'argo', { apiVersion: 'argoproj.io/v1' }))
const sets = [replicaSets, ofDeployment, earlier, alone, ofRollout] as const

describe('what a pod belongs to', () => {
  test.each<{ name: string; metadata: Partial<NamespacedMeta>; expected: TargetReference | undefined }>([
    {
      name: 'the Deployment of its ReplicaSet',
      metadata: owned('ReplicaSet', 'web-1', 'set-1'),
      expected: { kind: 'Deployment', name: 'web', uid: 'web' },
    },
    {
      name: 'its ReplicaSet, if that is its own master',
      metadata: owned('ReplicaSet', 'alone', 'alone'),
      expected: { kind: 'ReplicaSet', name: 'alone', uid: 'alone' },
    },
    {
      name: 'its StatefulSet',
      metadata: owned('StatefulSet', 'db', 'db'),
      expected: { kind: 'StatefulSet', name: 'db', uid: 'db' },
    },
    { name: 'nothing that is known', metadata: owned('ReplicaSet', 'argo-1', 'argo-1'), expected: undefined },
    { name: 'a ReplicaSet that is gone', metadata: owned('ReplicaSet', 'web-1', 'former'), expected: undefined },
    { name: 'a Job', metadata: owned('Job', 'import', 'import', { apiVersion: 'batch/v1' }), expected: undefined },
    { name: 'nothing', metadata: {}, expected: undefined },
  ])('$name', async ({ metadata, expected }) => {
    const pod = podOf('pod', metadata)
    expect(await readTarget(pod, buildWorkloadReader([sets]))).toEqual(expected)
    expect(targetReferenceIn(buildWorkloadWorld('shop', [sets]), pod)).toEqual(expected)
  })
})

const web: TargetReference = { kind: 'Deployment', name: 'web', uid: 'web' }

test('a target is looked at as it is now', () => {
  const failure = { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' } as const
  const deployment = stored<Deployment>({
    metadata: { namespace: 'shop', name: 'web', uid: 'web' },
    spec: { replicas: 3, minReadySeconds: 5, progressDeadlineSeconds: 60 },
    status: { conditions: [failure] },
  })
  const world = buildWorkloadWorld('shop', [
    [deployments, deployment],
    [statefulSets, stored<StatefulSet>({ metadata: { namespace: 'shop', name: 'db', uid: 'db' } })],
  ])
  expect(targetIn(world, web)).toEqual({
    ...web,
    replicas: 3,
    minReadySeconds: 5,
    progressDeadlineSeconds: 60,
    refusal: 'exceeded quota',
  })
  expect(targetIn(world, { ...web, uid: 'former' })).toBeUndefined()
  expect(targetIn(world, { kind: 'StatefulSet', name: 'db', uid: 'db' })).toMatchObject({
    replicas: 1,
    minReadySeconds: 0,
  })
})

test('the pods of a Deployment are those of all its ReplicaSets', () => {
  const first = podOf('first', owned('ReplicaSet', 'web-1', 'set-1'))
  const second = podOf('second', owned('ReplicaSet', 'web-0', 'set-0'))
  const other = podOf('other', owned('ReplicaSet', 'alone', 'alone'))
  const acquainted = podOf('acquainted', owned('ReplicaSet', 'web-1', 'set-1', { controller: false }))
  const world = buildWorkloadWorld('shop', [sets, [pods, first, second, other, acquainted]])
  expect(podsOf(world, web)).toEqual([first, second])
  expect(podsOf(world, { kind: 'ReplicaSet', name: 'alone', uid: 'alone' })).toEqual([other])
})

test('an autoscaler belongs to what it names', () => {
  const scaling = (name: string, scaleTargetRef: { apiVersion?: string; kind: string; name: string }) =>
    stored<HorizontalPodAutoscaler>({
      metadata: { namespace: 'shop', name },
      spec: { scaleTargetRef, maxReplicas: 5 },
    })
  const all = [
    scaling('second', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
    scaling('first', { kind: 'Deployment', name: 'web' }),
    scaling('other', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'mail' }),
    scaling('kind', { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' }),
    scaling('group', { apiVersion: 'example.com/v1', kind: 'Deployment', name: 'web' }),
  ]
  expect(autoscalersOf(all, web).map(({ metadata }) => metadata.name)).toEqual(['first', 'second'])
})
