import { expect, test } from 'vitest'
import { buildAppPod, buildAppReplicaSet, hash, nowMs } from '../../../test/build/deployment-view.ts'
import { evacuationType } from '../../api/evacuation/evacuation.ts'
import { annotations, labels } from '../../api/names.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import {
  hasTraces,
  isReleased,
  isTied,
  releasePod,
  removeTraces,
  restorePod,
  tiePod,
  wouldAdopt,
} from './release-pod.ts'

const from = { hash, replicaSet: 'web-5f6d', deployment: { name: 'web', uid: 'deployment' }, atMs: nowMs }
const pod = buildAppPod('a')
const set = buildAppReplicaSet(1)
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }
const evacuation = { ...evacuationType, name: 'e', uid: 'e', controller: false, blockOwnerDeletion: false }
const plain = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web-5f6d',
  uid: 'set',
  controller: false,
  blockOwnerDeletion: false,
}
const released = buildAppPod('a', { releasedAgo: 10 })
/** As an older version left it. */
const formerly = {
  ...released,
  metadata: { ...released.metadata, labels: { app: 'web' }, ownerReferences: [owner, evacuation] },
}

test('a release takes one label away, puts another on, and leaves the ReplicaSet as an owner that is no controller', () => {
  const { object, change } = releasePod(pod, set, from)
  expect(object).toBe(pod)
  expect(change.metadata?.labels).toEqual({ 'pod-template-hash': null, [labels.released]: 'true' })
  expect(change.metadata?.annotations?.[annotations.releasedFrom]).toContain('"hash":"5f6d"')
  expect(change.metadata?.ownerReferences).toEqual([plain])
  expect(change.spec).toBeUndefined()
})

test('a release of an older version is taken over: the ReplicaSet takes the place of the Evacuation', () => {
  expect(tiePod(formerly, set).change.metadata).toEqual({
    labels: { [labels.released]: 'true' },
    ownerReferences: [owner, plain],
  })
})

test.each([
  { name: 'a released pod', pod: released, expected: true },
  { name: 'one that an older version released', pod: formerly, expected: false },
  { name: 'one without the label', pod: { metadata: { ...released.metadata, labels: {} } }, expected: false },
  {
    name: 'one of another ReplicaSet',
    pod: { metadata: { ...released.metadata, ownerReferences: [] } },
    expected: false,
  },
])('$name is tied: $expected', ({ pod: seen, expected }) => {
  expect(isTied(seen, set)).toBe(expected)
})

test('what a release did is undone by labels and an annotation; only an Evacuation is taken out of the owners', () => {
  const restored = {
    labels: { 'pod-template-hash': hash, [labels.released]: null },
    annotations: { [annotations.releasedFrom]: null },
  }
  expect(restorePod(released, from).change.metadata).toEqual(restored)
  expect(restorePod(formerly, from).change.metadata).toEqual({ ...restored, ownerReferences: [owner] })
  expect(removeTraces(released).change.metadata).toEqual({ ...restored, labels: { [labels.released]: null } })
})

const withLabel = { ...released, metadata: { ...released.metadata, labels: { 'pod-template-hash': hash } } }
const owned = { ...released, metadata: { ...released.metadata, ownerReferences: pod.metadata.ownerReferences ?? [] } }

const bare = storedMeta({ namespace: 'shop', name: 'a' })

test.each([
  { name: 'a pod as it was made', pod, released: false, traces: false },
  { name: 'a released one', pod: released, released: true, traces: true },
  { name: 'one with its label back', pod: withLabel, released: false, traces: true },
  { name: 'one that has a controller, whatever it says of itself', pod: owned, released: false, traces: true },
  { name: 'one that only lacks the label', pod: { ...pod, metadata: bare }, released: false, traces: false },
  {
    name: 'one that bears the label of a release alone',
    pod: { metadata: { ...bare, labels: { [labels.released]: 'true' } } },
    released: false,
    traces: true,
  },
])('$name: released $released, traces $traces', ({ pod: seen, released: isOne, traces }) => {
  expect({ released: isReleased(seen), traces: hasTraces(seen) }).toEqual({ released: isOne, traces })
})

test.each([
  { name: 'a pod with its labels', labels: { app: 'web' }, adopted: from, expected: true },
  { name: 'a pod of another application', labels: { app: 'till' }, adopted: from, expected: false },
  { name: 'a pod of another revision', labels: { app: 'web' }, adopted: { ...from, hash: 'old' }, expected: false },
])('$name would be adopted: $expected', ({ labels: given, adopted, expected }) => {
  const seen = { metadata: { ...bare, labels: given } }
  expect(wouldAdopt(set, seen, adopted)).toBe(expected)
  expect(wouldAdopt({ metadata: set.metadata }, seen, adopted)).toBe(false)
})
