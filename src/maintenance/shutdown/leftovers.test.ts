import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { isLeftOver } from './leftovers.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }
const byKubelet = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' } as const

const podOf = (status: NonNullable<Pod['status']>, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: storedMeta({ namespace: 'shop', name: 'web-0', ownerReferences: [owner], ...metadata }),
  status,
})

test.each([
  { name: 'ended for a shutdown', pod: podOf({ phase: 'Failed', reason: 'Terminated' }), expected: true },
  { name: 'refused during one', pod: podOf({ phase: 'Failed', reason: 'NodeShutdown' }), expected: true },
  {
    name: 'ended by the kubelet, without a reason',
    pod: podOf({ phase: 'Failed', conditions: [byKubelet] }),
    expected: true,
  },
  {
    name: 'evicted because the disk is full: also by the kubelet, and somebody will look into it',
    pod: podOf({ phase: 'Failed', reason: 'Evicted', conditions: [byKubelet] }),
    expected: false,
  },
  {
    name: 'the condition is not true',
    pod: podOf({ phase: 'Failed', conditions: [{ ...byKubelet, status: 'False' }] }),
    expected: false,
  },
  { name: 'failed by itself', pod: podOf({ phase: 'Failed' }), expected: false },
  { name: 'still runs', pod: podOf({ phase: 'Running', reason: 'Terminated' }), expected: false },
  { name: 'succeeded', pod: podOf({ phase: 'Succeeded', reason: 'Terminated' }), expected: false },
  {
    name: 'nobody made another one',
    pod: podOf({ phase: 'Failed', reason: 'Terminated' }, { ownerReferences: [] }),
    expected: false,
  },
  {
    name: 'an owner that is no controller',
    pod: podOf({ phase: 'Failed', reason: 'Terminated' }, { ownerReferences: [{ ...owner, controller: false }] }),
    expected: false,
  },
  {
    name: 'goes already',
    pod: podOf({ phase: 'Failed', reason: 'Terminated' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    expected: false,
  },
])('$name: $expected', ({ pod, expected }) => {
  expect(isLeftOver(pod)).toBe(expected)
})
