import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { OwnerReference } from '../../api/kubernetes/meta.ts'
import { asTerminating, controllerOf, isActive, isFinished, readySinceMs } from './pod-state.ts'

const bare = stored<Pod>({ metadata: { namespace: 'shop', name: 'a' } })

test.each([
  { name: 'a pod without a status', pod: bare, active: true, finished: false },
  {
    name: 'one that terminates',
    pod: { metadata: { ...bare.metadata, deletionTimestamp: 'now' } },
    active: false,
    finished: false,
  },
  {
    name: 'one that failed',
    pod: { ...bare, status: { phase: 'Failed' as const } },
    active: false,
    finished: true,
  },
  {
    name: 'one that is done',
    pod: { ...bare, status: { phase: 'Succeeded' as const } },
    active: false,
    finished: true,
  },
])('$name: active $active, finished $finished', ({ pod, active, finished }) => {
  expect({ active: isActive(pod), finished: isFinished(pod) }).toEqual({ active, finished })
})

test('since when a pod is ready', () => {
  const since = (status: 'True' | 'False', lastTransitionTime?: string) =>
    readySinceMs({
      ...bare,
      status: {
        conditions: [{ type: 'Ready', status, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }],
      },
    })
  expect(since('True', '2026-01-01T00:00:00Z')).toBe(Date.parse('2026-01-01T00:00:00Z'))
  expect(since('False', '2026-01-01T00:00:00Z')).toBeUndefined()
  expect(since('True')).toBeUndefined()
})

test('the controller is the owner that says so', () => {
  const owner = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' }
  const owned = (...ownerReferences: OwnerReference[]) => ({ metadata: { ...bare.metadata, ownerReferences } })
  expect(controllerOf(owned(owner, { ...owner, controller: true, uid: 'c' }))?.uid).toBe('c')
  expect(controllerOf(owned(owner))).toBeUndefined()
})

test('a pod that was seen to go terminates, though a cache does not show it yet', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  expect(asTerminating(bare, nowMs).metadata.deletionTimestamp).toBe('2026-01-01T00:00:00.000Z')
  const going = { metadata: { ...bare.metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } }
  expect(asTerminating(going, nowMs)).toBe(going)
})
