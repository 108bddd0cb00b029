import { expect, test } from 'vitest'
import {
  buildAppDeployment,
  buildAppPod,
  buildAppReplicaSet,
  buildDeploymentView,
  nowMs,
} from '../../../test/build/deployment-view.ts'
import { pendingPods } from './pending-pods.ts'

const deployment = buildAppDeployment({ replicas: 2 })
const sets = [buildAppReplicaSet(2)]
const young = { readyFor: false, createdAgo: 5 } as const

test.each([
  { name: 'all there', pods: [buildAppPod('a'), buildAppPod('b')], expected: { kind: 'complete' } },
  {
    name: 'one on its way',
    pods: [buildAppPod('a'), buildAppPod('b', young)],
    expected: { kind: 'moving', why: 'b is not available yet' },
  },
  {
    name: 'two on their way',
    pods: [buildAppPod('c', young), buildAppPod('b', young)],
    expected: { kind: 'moving', why: 'b and 1 more are not available yet' },
  },
  {
    name: 'one missing',
    pods: [buildAppPod('a')],
    expected: { kind: 'moving', why: 'a replacement is being created' },
  },
  {
    name: 'one too many',
    pods: [buildAppPod('a'), buildAppPod('b'), buildAppPod('c')],
    expected: { kind: 'moving', why: 'pods that are too many are being removed' },
  },
  {
    name: 'one that has failed, which its ReplicaSet replaces',
    pods: [buildAppPod('a'), buildAppPod('b', { status: { phase: 'Failed' } })],
    expected: { kind: 'moving', why: 'a replacement is being created' },
  },
  {
    name: 'one that has been not ready for ten minutes',
    pods: [buildAppPod('a'), buildAppPod('b', { readyFor: false, createdAgo: 601 })],
    expected: { kind: 'stuck' },
  },
])('$name', ({ pods, expected }) => {
  const view = buildDeploymentView([buildAppPod('leaving', { releasedAgo: 10 }), ...pods], { replicaSets: sets })
  expect(pendingPods({ ...view, deployment }, nowMs)).toMatchObject(expected)
})

test('a Deployment that gives its pods no deadline is never stuck for slowness', () => {
  const view = buildDeploymentView([buildAppPod('a', { releasedAgo: 10 }), buildAppPod('b', { readyFor: false })])
  const patient = buildAppDeployment({ progressDeadlineSeconds: 2_147_483_647 })
  expect(pendingPods({ ...view, deployment: patient }, nowMs).kind).toBe('moving')
})
