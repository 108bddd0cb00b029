import { expect, test } from 'vitest'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { stored } from '../../../test/build/stored.ts'
import { OwnedObjects } from './owned-objects.ts'

const place = 'pods shop'
const build = (name: string, owner?: string, resourceVersion = '1'): KubernetesObject => {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner }]
  return stored({ metadata: { name, uid: name, resourceVersion, ownerReferences } })
}

/** A place that has these objects, and what is asked of it. */
function setUp(...objects: readonly KubernetesObject[]) {
  const owned = new OwnedObjects()
  const present = new Map(objects.map((object) => [object.metadata.name, object]))
  const asked: string[] = []
  const all = (owner: string) =>
    [...present.values()].filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner))
  const objectsOf = (owner: string, at = place) =>
    owned.get(at, owner, {
      gather: () => {
        asked.push(`all of ${owner}${at === place ? '' : ` in ${at}`}`)
        return all(owner)
      },
      latest: (name) => {
        asked.push(name)
        return present.get(name)
      },
    })
  const look = (owner: string, at?: string) => objectsOf(owner, at).map(({ metadata }) => metadata.name)
  const change = (name: string, to: KubernetesObject | undefined) => {
    const before = present.get(name)
    if (to === undefined) present.delete(name)
    else present.set(name, to)
    for (const object of [before, to]) if (object !== undefined) owned.changed(place, object)
  }
  return { owned, asked, objectsOf, look, change }
}

test('a change costs one look at what changed', () => {
  const { asked, objectsOf, look, change } = setUp(build('one', 'a'), build('two', 'a'), build('three', 'b'))
  expect([look('a'), look('b')]).toEqual([['one', 'two'], ['three']])
  const before = objectsOf('a')
  expect(objectsOf('a')).toBe(before)
  asked.length = 0
  change('two', build('two', 'a', '2'))
  expect(objectsOf('a').map(({ metadata }) => metadata.resourceVersion)).toEqual(['1', '2'])
  expect(look('b')).toEqual(['three'])
  expect(asked).toEqual(['two'])
})

test.each([
  { name: 'is new', of: 'four', to: build('four', 'a'), a: ['one', 'two', 'four'], b: ['three'] },
  { name: 'is gone', of: 'one', to: undefined, a: ['two'], b: ['three'] },
  { name: 'has another owner', of: 'one', to: build('one', 'b'), a: ['two'], b: ['three', 'one'] },
  { name: 'has no owner any more', of: 'one', to: build('one'), a: ['two'], b: ['three'] },
])('an object that $name', ({ of, to, a, b }) => {
  const { asked, look, change } = setUp(build('one', 'a'), build('two', 'a'), build('three', 'b'))
  look('a')
  look('b')
  asked.length = 0
  change(of, to)
  expect([look('a'), look('b')]).toEqual([a, b])
  expect(asked.filter((what) => what.startsWith('all'))).toEqual([])
})

test('what is followed again is gathered again', () => {
  const { owned, asked, look } = setUp(build('one', 'a'))
  look('a')
  look('a', 'pods other')
  owned.forget(place)
  look('a')
  look('a', 'pods other')
  expect(asked).toEqual(['all of a', 'all of a in pods other', 'all of a'])
  owned.clear()
  look('a', 'pods other')
  expect(asked).toHaveLength(4)
})

test.each([
  { more: 255, isForgotten: false },
  { more: 256, isForgotten: true },
])('of $more more owners, the one that was looked at first is forgotten: $isForgotten', ({ more, isForgotten }) => {
  const { asked, look } = setUp()
  look('a')
  for (let count = 0; count < more; count++) look(`more-${count}`)
  asked.length = 0
  look('a')
  expect(asked.includes('all of a')).toBe(isForgotten)
})
