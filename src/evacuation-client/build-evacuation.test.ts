import { finishedMark } from '../api/evacuation/finished-mark.ts'
import { describe, expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { stored, storedMeta } from '../../test/build/stored.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../api/kubernetes/meta.ts'
import { buildEvacuation, joiningPatch, requestForPod, type EvacuationRequest } from './build-evacuation.ts'

const pod = { namespace: 'shop', name: 'web', uid: 'u' }
const instigator = 'drill.example.com'
const finalizerOf = (name: string) => `evacuation.coordination.k8s.io/instigator_${name}`
const finalizer = finalizerOf(instigator)
const requestedAt = 'evacuation.coordination.k8s.io/eviction-requested-at'
const nowMs = Date.UTC(2026, 0, 1)

describe('an Evacuation', () => {
  test('needs no more than a pod and who wants it gone', () => {
    expect(buildEvacuation({ instigator, pod })).toEqual({
      metadata: { namespace: 'shop', name: 'u-web', finalizers: [finalizer] },
      spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
    })
  })

  test('has everything that is known of the pod', () => {
    const claims = [{ evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000 }]
    const object = stored<Pod>({
      metadata: { ...pod, labels: { app: 'web', ...finishedMark }, annotations: {} },
      spec: { nodeName: 'node-1', containers: [] },
    })
    const request = { ...requestForPod(object, claims), instigator, wishedAtMs: nowMs, annotations: { why: 'a drill' } }
    expect(buildEvacuation({ ...request, heldBy: 'deployment.apps.k8s.io', progressDeadlineSeconds: 600 })).toEqual({
      metadata: {
        namespace: 'shop',
        name: 'u-web',
        finalizers: [finalizer, finalizerOf('deployment.apps.k8s.io')],
        labels: { app: 'web' },
        annotations: {
          why: 'a drill',
          [requestedAt]: '2026-01-01T00:00:00.000Z',
          'evacuation.coordination.k8s.io/node': 'node-1',
        },
      },
      spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 600, evacuators: claims },
    })
  })
})

function joined(metadata: Partial<NamespacedMeta>, request: Partial<EvacuationRequest> = {}): object | undefined {
  const evacuation: Evacuation = {
    metadata: storedMeta({ namespace: 'shop', name: 'u-web', ...metadata }),
    spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
  }
  return joiningPatch(evacuation, { instigator, pod, ...request })
}

describe('a wish that lapses, on an Evacuation that is there', () => {
  const fresh = '2025-12-31T23:59:30.000Z'
  const known = { resourceVersion: '5', finalizers: ['example.com/other', finalizer] }
  const patched = {
    metadata: { ...known, annotations: { [requestedAt]: '2026-01-01T00:00:00.000Z' } },
  }
  test.each<{ name: string; metadata: object; expected: object | undefined }>([
    {
      name: 'adds what is missing',
      metadata: { resourceVersion: '5', finalizers: ['example.com/other'] },
      expected: patched,
    },
    {
      name: 'nothing within a minute',
      metadata: { ...known, annotations: { [requestedAt]: fresh } },
      expected: undefined,
    },
    {
      name: 'refreshes after a minute',
      metadata: { ...known, annotations: { [requestedAt]: '2025-12-31T23:59:00.000Z' } },
      expected: patched,
    },
    {
      name: 'corrects a time in the future',
      metadata: { ...known, annotations: { [requestedAt]: '2027-01-01T00:00:00.000Z' } },
      expected: patched,
    },
    {
      name: 'corrects what is no time',
      metadata: { ...known, annotations: { [requestedAt]: 'soon' } },
      expected: patched,
    },
    {
      name: 'puts the finalizer back however fresh the time is',
      metadata: { resourceVersion: '5', finalizers: [], annotations: { [requestedAt]: fresh } },
      expected: { metadata: { ...patched.metadata, finalizers: [finalizer] } },
    },
  ])('$name', ({ metadata, expected }) => {
    expect(joined(metadata, { wishedAtMs: nowMs })).toEqual(expected)
  })
})

test('a wish that lasts adds its finalizer, once', () => {
  expect(joined({ resourceVersion: '5' })).toEqual({ metadata: { resourceVersion: '5', finalizers: [finalizer] } })
  expect(joined({ resourceVersion: '5', finalizers: [finalizer] })).toBeUndefined()
})
