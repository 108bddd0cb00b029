import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { PodPacking } from './packed-pods.ts'

const metadata = storedMeta({
  namespace: 'shop',
  name: 'web-1',
  uid: 'uid-1',
  resourceVersion: '7',
  creationTimestamp: '2026-11-18T10:00:00Z',
  labels: { app: 'web' },
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }],
})
const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-18T10:00:09Z' } as const
const running: Pod = {
  metadata,
  spec: { nodeName: 'node-1', priority: 7, containers: [] },
  status: { phase: 'Running', conditions: [ready], containerStatuses: [{ name: 'a', ready: true, restartCount: 0 }] },
}

describe('a packed pod', () => {
  test.each<{ name: string; pod: Pod }>([
    { name: 'that runs', pod: running },
    { name: 'without a spec and a status', pod: { metadata } },
    { name: 'that has no node yet', pod: { metadata, spec: { containers: [] }, status: { phase: 'Pending' } } },
    {
      name: 'whose conditions have other times, or none',
      pod: {
        ...running,
        status: {
          conditions: [
            { type: 'PodScheduled', status: 'False', lastTransitionTime: '2026-11-18T09:00:00Z' },
            { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
          ],
        },
      },
    },
    {
      name: 'that ends',
      pod: {
        ...running,
        metadata: { ...metadata, deletionTimestamp: '2026-11-18T11:00:00Z', finalizers: ['example.com/keeper'] },
      },
    },
  ])('$name is the same when it is opened', ({ pod }) => {
    const packing = new PodPacking()
    const before = structuredClone(pod)
    expect(packing.open(packing.pack(pod))).toStrictEqual(before)
    expect(pod).toStrictEqual(before)
  })

  test('shares with the others of its workload all that is not its own', () => {
    const packing = new PodPacking()
    const other: Pod = {
      ...structuredClone(running),
      metadata: storedMeta({
        ...structuredClone(metadata),
        name: 'web-2',
        uid: 'uid-2',
        resourceVersion: '8',
        creationTimestamp: '2026-11-18T12:00:00Z',
      }),
      spec: { nodeName: 'node-2', priority: 7, containers: [] },
      status: {
        phase: 'Running',
        conditions: [{ ...ready, lastTransitionTime: '2026-11-18T12:00:09Z' }],
        containerStatuses: [{ name: 'a', ready: true, restartCount: 0 }],
      },
    }
    const [one, two] = [running, other].map((pod) => packing.open(packing.pack(pod)))
    expect(two).toStrictEqual(other)
    expect(two?.metadata.labels).toBe(one?.metadata.labels)
    expect(two?.metadata.ownerReferences).toBe(one?.metadata.ownerReferences)
    expect(two?.status?.containerStatuses).toBe(one?.status?.containerStatuses)
  })
})
