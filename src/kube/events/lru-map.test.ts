import fc from 'fast-check'
import { expect, test } from 'vitest'

import { AssertionError } from '../../runtime/assert.ts'
import { LruMap } from './lru-map.ts'

test('remembers the keys asked for last, and no more than it may', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: 0, max: 9 })), (max, keys) => {
      const map = new LruMap<object>(max)
      let model: string[] = []
      for (const key of keys.map(String)) {
        let made = false
        map.getOrMake(key, () => {
          made = true
          return {}
        })
        expect(made).toBe(!model.includes(key))
        model = [...model.filter((known) => known !== key), key].slice(-max)
        expect(map.size).toBe(model.length)
      }
    }),
  )
})

test('gives the same value again', () => {
  const map = new LruMap<object>(2)
  const value = map.getOrMake('a', () => ({}))
  expect(map.getOrMake('a', () => ({}))).toBe(value)
})

test('refuses to remember nothing', () => {
  expect(() => new LruMap(0)).toThrow(AssertionError)
})
