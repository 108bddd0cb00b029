import { describe, expect, test } from 'vitest'
import type { Pod, PodCondition, PodStatus } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { troubleOf } from './pod-trouble.ts'

const created = '2026-01-01T00:00:00Z'
const createdMs = Date.parse(created)

const condition = (type: string, status: PodCondition['status'], rest: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status,
  lastTransitionTime: created,
  ...rest,
})

function podOf(status: PodStatus, metadata: Partial<Pod['metadata']> = {}): Pod {
  return stored({ metadata: { namespace: 'shop', name: 'web-2', creationTimestamp: created, ...metadata }, status })
}

const waiting = (reason: string, message?: string): PodStatus => ({
  conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False')],
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
    },
  ],
})

describe('there is no trouble with a pod', () => {
  test.each([
    { name: 'that is ready', pod: podOf({ conditions: [condition('Ready', 'True')] }), afterMs: 3_600_000 },
    { name: 'that nobody has looked at yet', pod: podOf({}), afterMs: 1_000 },
    { name: 'whose containers are being made', pod: podOf(waiting('ContainerCreating')), afterMs: 1_000 },
    {
      name: 'that has its grace period to end',
      pod: podOf({}, { deletionTimestamp: created }),
      afterMs: 10_000,
    },
  ])('$name', ({ pod, afterMs }) => {
    expect(troubleOf(pod, createdMs + afterMs)).toBeUndefined()
  })
})

describe('somebody must help a pod', () => {
  test.each([
    {
      name: 'that does not fit, in the words of the scheduler',
      status: { conditions: [condition('PodScheduled', 'False', { message: '0/2 nodes are available' })] },
      kind: 'replacementUnschedulable',
      message: '0/2 nodes are available',
    },
    {
      name: 'whose image cannot be had',
      status: waiting('ErrImagePull', 'no such image'),
      kind: 'replacementNotReady',
      message: 'container main: ErrImagePull, no such image',
    },
    {
      name: 'that crashes',
      status: waiting('CrashLoopBackOff'),
      kind: 'replacementNotReady',
      message: 'container main: CrashLoopBackOff',
    },
    {
      name: 'that failed',
      status: { phase: 'Failed', reason: 'Evicted', message: 'no memory' } as const,
      kind: 'replacementNotReady',
      message: 'it has ended: Evicted, no memory',
    },
  ])('$name', ({ status, kind, message }) => {
    expect(troubleOf(podOf(status), createdMs)).toEqual({ kind, replacement: 'web-2', message })
  })

  test('that is not ready for too long', () => {
    const slow = podOf({ conditions: [condition('PodScheduled', 'True'), condition('Ready', 'False')] })
    expect(troubleOf(slow, createdMs + 600_000)).toBeUndefined()
    expect(troubleOf(slow, createdMs + 600_001)).toMatchObject({ message: expect.stringContaining('600 s') })
    expect(troubleOf(slow, createdMs + 61_000, 60)).toMatchObject({ kind: 'replacementNotReady' })
  })

  test('that does not end', () => {
    const lasting = podOf({ conditions: [condition('Ready', 'True')] }, { deletionTimestamp: created })
    expect(troubleOf(lasting, createdMs + 31_000)).toMatchObject({ kind: 'replacementNotReady' })
  })
})
