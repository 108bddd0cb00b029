import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { timeOf } from '../pod-status.ts'
import { buildReplicaSetStatus } from './build-status.ts'

const now = { ms: timeOf('2026-01-01T00:01:00Z'), timestamp: '2026-01-01T00:01:00Z' }
const ready = (since: string, labels = {}) => ({
  metadata: storedMeta({ labels }),
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] },
})
const set = {
  metadata: storedMeta({ generation: 3 }),
  spec: { replicas: 3, minReadySeconds: 30, template: { metadata: { labels: { app: 'web' } } } },
}

test('counts pods, and knows when the next of them is available', () => {
  const active = [
    ready('2026-01-01T00:00:00Z', { app: 'web' }),
    ready('2026-01-01T00:00:45Z'),
    ready('2026-01-01T00:00:50Z'),
    { metadata: storedMeta() },
  ]
  const { status, nextAvailableAtMs } = buildReplicaSetStatus(set, { active, terminating: 2, failure: undefined }, now)
  expect(status).toEqual({
    replicas: 4,
    fullyLabeledReplicas: 1,
    readyReplicas: 3,
    availableReplicas: 1,
    terminatingReplicas: 2,
    observedGeneration: 3,
  })
  expect(nextAvailableAtMs).toBe(timeOf('2026-01-01T00:01:15Z'))
})

test('the first failure stays until it is over', () => {
  const counts = { active: [], terminating: 0 }
  const { status } = buildReplicaSetStatus(set, { ...counts, failure: 'quota' }, now)
  const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }
  expect(status).toMatchObject({ conditions: [condition] })
  const failed = { ...set, status }
  expect(buildReplicaSetStatus(failed, { ...counts, failure: 'other' }, now).status).toEqual(status)
  expect(buildReplicaSetStatus(failed, { ...counts, failure: undefined }, now).status).not.toHaveProperty('conditions')
})
