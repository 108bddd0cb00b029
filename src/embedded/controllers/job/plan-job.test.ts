import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { Job, Pod } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { planJob, trackingFinalizer } from './plan-job.ts'

const now = { ms: timeOf('2026-01-01T00:01:00Z'), timestamp: '2026-01-01T00:01:00Z' }

function podNamed(name: string, phase: string, metadata: object = {}): Pod {
  const lastTransitionTime = '2026-01-01T00:00:55Z'
  return {
    metadata: storedMeta({ name, uid: name, finalizers: [trackingFinalizer], ...metadata }),
    status: { phase, conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] },
  }
}

const jobOf = (spec: object = {}, status: NonNullable<Job['status']> = {}): Job => ({
  metadata: storedMeta({ name: 'import' }),
  spec: { completions: 3, parallelism: 2, backoffLimit: 1, ...spec },
  status,
})
const plan = (job: Job, pods: readonly Pod[]) => planJob({ job, pods }, now)

describe('a plan', () => {
  test.each([
    { name: 'starts as many as may run', job: jobOf(), pods: [], create: 2 },
    { name: 'adds what is missing', job: jobOf(), pods: [podNamed('a', 'Running')], create: 1 },
    { name: 'never more than are left', job: jobOf({}, { succeeded: 2 }), pods: [], create: 1 },
    { name: 'starts none while it is suspended', job: jobOf({ suspend: true }), pods: [], create: 0 },
    {
      name: 'starts none after the end',
      job: jobOf({}, { conditions: [{ type: 'Complete', status: 'True' }] }),
      pods: [],
      create: 0,
    },
  ])('$name', ({ job, pods, create }) => {
    expect(plan(job, pods).create).toBe(create)
  })

  test('waits after a failure', () => {
    const { create, againAtMs, status } = plan(jobOf(), [podNamed('a', 'Failed')])
    expect([create, againAtMs, status.failed]).toEqual([0, timeOf('2026-01-01T00:01:05Z'), 1])
  })

  test('ends with enough successes', () => {
    const { status } = plan(jobOf({}, { succeeded: 2 }), [podNamed('a', 'Succeeded')])
    expect(status).toMatchObject({ succeeded: 3, completionTime: now.timestamp })
    expect(status.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete'])
  })

  test('ends with too many failures, and stops what runs', () => {
    const running = podNamed('b', 'Running')
    const { status, remove } = plan(jobOf({}, { failed: 1 }), [podNamed('a', 'Failed'), running])
    expect(status.conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'BackoffLimitExceeded' })
    expect(remove).toEqual([running])
  })

  test('removes what is too much, and first what is not ready', () => {
    const pods = [podNamed('a', 'Running'), podNamed('b', 'Pending'), podNamed('c', 'Running')]
    expect(plan(jobOf({ parallelism: 1 }), pods).remove.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  })
})

test('a pod is named, let go, and forgotten, and counts once', () => {
  const pod = podNamed('a', 'Succeeded')
  const first = plan(jobOf(), [pod])
  expect(first.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: ['a'], failed: [] } })
  expect(first.letGo).toEqual([])
  const second = plan(jobOf({}, first.status), [pod])
  expect(second.status).toMatchObject({ succeeded: 1 })
  expect(second.letGo).toEqual([pod])
  const third = plan(jobOf({}, second.status), [{ ...pod, metadata: storedMeta({ name: 'a', uid: 'a' }) }])
  expect(third.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: [], failed: [] } })
})

test('one that is being deleted has failed', () => {
  const pod = podNamed('a', 'Running', { deletionTimestamp: now.timestamp })
  expect(plan(jobOf(), [pod]).status).toMatchObject({ failed: 1, active: 0, terminating: 1 })
})
