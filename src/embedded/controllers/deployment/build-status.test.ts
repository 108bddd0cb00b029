import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { timeOf } from '../pod-status.ts'
import { buildDeploymentStatus, progressDueMs, withPause } from './build-status.ts'

const then = '2026-01-01T00:00:00Z'
const now = { ms: timeOf('2026-01-01T00:01:00Z'), timestamp: '2026-01-01T00:01:00Z' }
const setOf = (name: string, replicas: number, available: number) => ({
  metadata: storedMeta({ name }),
  spec: { replicas },
  status: { replicas, readyReplicas: available, availableReplicas: available },
})
const progressing = (reason: string) => ({
  conditions: [
    { type: 'Progressing', status: 'True', reason, message: '', lastUpdateTime: then, lastTransitionTime: then },
  ],
})
const deployment = (options: { status?: object; spec?: object } = {}) => ({
  metadata: storedMeta({ name: 'web', generation: 2 }),
  spec: {
    replicas: 3,
    progressDeadlineSeconds: 50,
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ...options.spec,
  },
  status: options.status ?? {},
})

describe('the status of a Deployment', () => {
  test('adds its sets up', () => {
    const view = { deployment: deployment(), newSet: setOf('new', 1, 1), oldSets: [setOf('old', 3, 2)] }
    expect(buildDeploymentStatus(view, now, { judgesProgress: true })).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 1,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
    })
  })

  test.each([
    { name: 'is complete', newSet: setOf('new', 3, 3), before: {}, status: 'True', reason: 'NewReplicaSetAvailable' },
    { name: 'makes progress', newSet: setOf('new', 3, 1), before: {}, status: 'True', reason: 'ReplicaSetUpdated' },
    {
      name: 'is stuck',
      newSet: setOf('new', 3, 1),
      before: {
        updatedReplicas: 3,
        replicas: 3,
        readyReplicas: 1,
        availableReplicas: 1,
        ...progressing('ReplicaSetUpdated'),
      },
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    },
    {
      name: 'was complete, and losing a pod is no rollout',
      newSet: setOf('new', 3, 2),
      before: { updatedReplicas: 3, replicas: 3, ...progressing('NewReplicaSetAvailable') },
      status: 'True',
      reason: 'NewReplicaSetAvailable',
    },
  ])('$name', ({ newSet, before, status, reason }) => {
    const view = { deployment: deployment({ status: before }), newSet, oldSets: [] }
    const { conditions } = buildDeploymentStatus(view, now, { judgesProgress: true })
    expect(conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({ status, reason })
  })

  test('says when it has too few', () => {
    const view = { deployment: deployment(), newSet: setOf('new', 3, 2), oldSets: [] }
    expect(buildDeploymentStatus(view, now, { judgesProgress: true }).conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }),
    )
  })

  test('shows what keeps its sets from making pods', () => {
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }
    const newSet = { ...setOf('new', 3, 0), status: { conditions: [failure] } }
    const view = { deployment: deployment(), newSet, oldSets: [] }
    expect(buildDeploymentStatus(view, now, { judgesProgress: true }).conditions).toContainEqual(
      expect.objectContaining(failure),
    )
  })
})

test('the deadline counts from the last progress, and not at all when the rollout is over', () => {
  expect(progressDueMs(deployment(), progressing('ReplicaSetUpdated'))).toBe(timeOf(then) + 50_000)
  expect(progressDueMs(deployment(), progressing('NewReplicaSetAvailable'))).toBeUndefined()
  expect(
    progressDueMs(deployment({ spec: { progressDeadlineSeconds: 2 ** 31 - 1 } }), progressing('ReplicaSetUpdated')),
  ).toBeUndefined()
})

test('pausing and resuming are told once each', () => {
  const paused = deployment({ spec: { paused: true } })
  const conditions = withPause(paused, 'now')
  expect(conditions).toMatchObject([{ type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused' }])
  expect(withPause({ ...paused, status: { conditions } }, 'later')).toBe(conditions)
  expect(withPause(deployment({ status: { conditions } }), 'later')).toMatchObject([{ reason: 'DeploymentResumed' }])
})
