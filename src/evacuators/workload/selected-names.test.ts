import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { mayMatchAnew, SelectedNames } from './selected-names.ts'

const place = 'poddisruptionbudgets shop'
const build = (metadata: object = {}): KubernetesObject =>
  stored({ metadata: { name: 'web', generation: 1, ...metadata } })
const updated = (metadata: object): Change<KubernetesObject> => ({
  kind: 'updated',
  object: build(metadata),
  previous: build(),
})

test.each([
  { name: 'a new one', change: { kind: 'added', object: build() }, expected: true },
  { name: 'one that is gone', change: { kind: 'deleted', object: build() }, expected: true },
  { name: 'another spec', change: updated({ generation: 2 }), expected: true },
  { name: 'other labels', change: updated({ labels: { app: 'web' } }), expected: true },
  { name: 'another status', change: updated({ resourceVersion: '2' }), expected: false },
  { name: 'a kind that counts no generations', change: updated({ generation: undefined }), expected: true },
] as const)('after $name others may match: $expected', ({ change, expected }) => {
  expect(mayMatchAnew(change)).toBe(expected)
  const selected = new SelectedNames()
  const labels = {}
  let asked = 0
  const look = () =>
    selected.get(place, labels, () => {
      asked++
      return ['web']
    })
  expect([look(), look()]).toEqual([['web'], ['web']])
  expect(asked).toBe(1)
  selected.changed('pods shop', change)
  selected.changed(place, change)
  look()
  expect(asked).toBe(expected ? 2 : 1)
})

test('each shared object has a selection of its own, and none outlives the place', () => {
  const selected = new SelectedNames()
  const [one, other] = [{}, {}]
  expect(selected.get(place, one, () => ['a'])).toEqual(['a'])
  expect(selected.get(place, other, () => ['b'])).toEqual(['b'])
  expect(selected.get(place, one, () => ['c'])).toEqual(['a'])
  selected.forget(place)
  expect(selected.get(place, one, () => ['c'])).toEqual(['c'])
})
