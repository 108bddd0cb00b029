import { expect, test } from 'vitest'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { stored } from '../../../test/build/stored.ts'
import { OwnedObjects } from './owned-objects.ts'

const ownedBy = (uid: string): KubernetesObject =>
  stored({
    metadata: { name: 'one', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid }] },
  })

function setUp() {
  const owned = new OwnedObjects()
  const gathered: string[] = []
  const look = (place: string, uid: string) =>
    owned.get(place, uid, () => {
      gathered.push(`${place} ${uid}`)
      return []
    })
  look('pods shop', 'a')
  look('pods shop', 'b')
  look('pods other', 'a')
  gathered.length = 0
  const lookAtAll = () => {
    look('pods shop', 'a')
    look('pods shop', 'b')
    look('pods other', 'a')
    return gathered
  }
  return { owned, look, lookAtAll, gathered }
}

test.each([
  { name: 'nothing, nothing is put together again', change: () => {}, expected: [] },
  {
    name: 'an object, what its owner has is',
    change: (owned: OwnedObjects) => owned.changed('pods shop', ownedBy('a')),
    expected: ['pods shop a'],
  },
  {
    name: 'an object that no owner has, nothing is',
    change: (owned: OwnedObjects) => owned.changed('pods shop', stored({ metadata: { name: 'one' } })),
    expected: [],
  },
  {
    name: 'whether a place is followed, what is of that place is',
    change: (owned: OwnedObjects) => owned.forget('pods shop'),
    expected: ['pods shop a', 'pods shop b'],
  },
  {
    name: 'all',
    change: (owned: OwnedObjects) => owned.clear(),
    expected: ['pods shop a', 'pods shop b', 'pods other a'],
  },
])('after a change of $name', ({ change, expected }) => {
  const { owned, lookAtAll } = setUp()
  change(owned)
  expect(lookAtAll()).toEqual(expected)
})

test.each([
  { more: 253, isForgotten: false },
  { more: 254, isForgotten: true },
])('of $more more owners, the one that was looked at first is forgotten: $isForgotten', ({ more, isForgotten }) => {
  const { look, gathered } = setUp()
  for (let count = 0; count < more; count++) look('pods shop', `more-${count}`)
  look('pods shop', 'a')
  expect(gathered.includes('pods shop a')).toBe(isForgotten)
})
