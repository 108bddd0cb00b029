import { expect, test } from 'vitest'
import { configMaps, pods } from '../../api/kubernetes/resources.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { Interests } from './interests.ts'
import { placeOf } from './workload-caches.ts'

const shop = placeOf(pods, 'shop')
const owned = (name: string, uid: string) =>
  stored<Pod>({
    metadata: { namespace: 'shop', name, ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'k', uid }] },
  })
const added = (object: ReturnType<typeof owned>) => ({ kind: 'added', object }) as const

function lookers() {
  const interests = new Interests()
  interests.begin('by-owner').inOwner(shop, 'set')
  interests.begin('by-name').inName(shop, 'a')
  interests.begin('by-look').inMatching({ ...shop, resource: pods }, ({ metadata }) => metadata.name === 'z')
  for (const id of ['by-owner', 'by-name', 'by-look']) interests.settle(id)
  return interests
}

test.each([
  { name: 'a pod of that owner', object: owned('x', 'set'), place: shop, expected: ['by-owner'] },
  { name: 'a pod of that name', object: owned('a', 'other'), place: shop, expected: ['by-name'] },
  { name: 'a pod that both look at', object: owned('a', 'set'), place: shop, expected: ['by-name', 'by-owner'] },
  { name: 'a pod that looks so', object: owned('z', 'other'), place: shop, expected: ['by-look'] },
  { name: 'a pod of nobody here', object: owned('x', 'other'), place: shop, expected: [] },
  { name: 'one of another namespace', object: owned('a', 'set'), place: placeOf(pods, 'bank'), expected: [] },
  { name: 'another kind', object: owned('a', 'set'), place: placeOf(configMaps, 'shop'), expected: [] },
])('$name wakes $expected', ({ object, place, expected }) => {
  expect(lookers().wokenBy(added(object), place)).toEqual(expected)
})

test('what an object was before a change counts too', () => {
  const change = { kind: 'updated', object: owned('x', 'other'), previous: owned('x', 'set') } as const
  expect(lookers().wokenBy(change, shop)).toEqual(['by-owner'])
})

test('a look counts from its beginning, and the one before until it is over', () => {
  const interests = new Interests()
  interests.begin('e').inName(shop, 'a')
  expect(interests.wokenBy(added(owned('a', 'x')), shop)).toEqual(['e'])
  interests.settle('e')
  interests.begin('e').inName(shop, 'b')
  expect(interests.wokenBy(added(owned('a', 'x')), shop)).toEqual(['e'])
  interests.settle('e')
  expect(interests.wokenBy(added(owned('a', 'x')), shop)).toEqual([])
  interests.forget('e')
  expect(interests.wokenBy(added(owned('b', 'x')), shop)).toEqual([])
})
