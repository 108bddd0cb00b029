import { expect, test } from 'vitest'
import { buildAppEvacuation, buildAppPod, hash, nowMs } from '../../../test/build/deployment-view.ts'
import { annotations } from '../../api/names.ts'
import { hasTraces, isReleased, releasePod, removeTraces, restorePod } from './release-pod.ts'

const from = { hash, replicaSet: 'web-5f6d', deployment: { name: 'web', uid: 'deployment' }, atMs: nowMs }
const pod = buildAppPod('a')

test('a release takes the label away, keeps where the pod belonged, and makes the Evacuation an owner beside the others', () => {
  const { object, change } = releasePod(pod, buildAppEvacuation(pod), from)
  expect(object).toBe(pod)
  expect(change.metadata?.labels).toEqual({ 'pod-template-hash': null })
  expect(change.metadata?.annotations?.[annotations.releasedFrom]).toContain('"hash":"5f6d"')
  expect(change.metadata?.ownerReferences).toEqual([
    pod.metadata.ownerReferences?.[0],
    {
      apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
      kind: 'Evacuation',
      name: 'uid-a-a',
      uid: 'evacuation',
      controller: false,
      blockOwnerDeletion: false,
    },
  ])
  expect(change.spec).toBeUndefined()
})

test('a pod that is released again has its Evacuation as an owner once', () => {
  const { change } = releasePod(pod, buildAppEvacuation(pod), from)
  const ownerReferences = [...(change.metadata?.ownerReferences ?? [])] as NonNullable<
    typeof pod.metadata.ownerReferences
  >
  const again = releasePod({ ...pod, metadata: { ...pod.metadata, ownerReferences } }, buildAppEvacuation(pod), from)
  expect(again.change.metadata?.ownerReferences).toHaveLength(2)
})

test('what a release did is undone by its opposite', () => {
  const released = buildAppPod('a', { releasedAgo: 10 })
  expect(restorePod(released, from).change.metadata).toEqual({
    labels: { 'pod-template-hash': hash },
    annotations: { [annotations.releasedFrom]: null },
    ownerReferences: [],
  })
  expect(removeTraces(released).change.metadata?.labels).toBeUndefined()
})

test.each([
  { name: 'a pod as it was made', pod, released: false, traces: false },
  { name: 'a released one', pod: buildAppPod('a', { releasedAgo: 1 }), released: true, traces: true },
  {
    name: 'one with its label back',
    pod: {
      ...buildAppPod('a', { releasedAgo: 1 }),
      metadata: { ...buildAppPod('a', { releasedAgo: 1 }).metadata, labels: { 'pod-template-hash': hash } },
    },
    released: false,
    traces: true,
  },
  { name: 'one that only lacks the label', pod: { ...pod, metadata: { name: 'a' } }, released: false, traces: false },
])('$name: released $released, traces $traces', ({ pod: seen, released, traces }) => {
  expect({ released: isReleased(seen), traces: hasTraces(seen) }).toEqual({ released, traces })
})
