import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import { idOf, idOfObject, keyOfId, namespacedKeyOf, namespaceOfId } from './object-id.ts'
import type { Pod } from './core.ts'

const key = { namespace: 'shop', name: 'u-web' }

test('a key and its text are the same thing', () => {
  expect(idOf(key)).toBe('shop/u-web')
  expect(keyOfId(idOf(key))).toEqual(key)
  expect(namespaceOfId(idOf(key))).toBe('shop')
})

test('an object has the key of its metadata', () => {
  expect(namespacedKeyOf(stored<Pod>({ metadata: { ...key, uid: 'u' } }))).toEqual(key)
  expect(idOfObject(stored<Pod>({ metadata: key }))).toBe('shop/u-web')
})
