import { expect, test } from 'vitest'
import { idOf, idOfObject, keyOfId, namespacedKeyOf } from './object-id.ts'

const key = { namespace: 'shop', name: 'u-web' }

test('a key and its text are the same thing', () => {
  expect(idOf(key)).toBe('shop/u-web')
  expect(keyOfId(idOf(key))).toEqual(key)
})

test('an object has the key of its metadata', () => {
  expect(namespacedKeyOf({ metadata: { ...key, uid: 'u' } })).toEqual(key)
  expect(idOfObject({ metadata: key })).toBe('shop/u-web')
})
