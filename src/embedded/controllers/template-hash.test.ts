import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { canonical, templateHash } from './template-hash.ts'

test('the order of fields means nothing, their values do', () => {
  expect(templateHash({ a: 1, b: [1, 2] })).toBe(templateHash({ b: [1, 2], a: 1 }))
  expect(templateHash({ a: 1, b: [1, 2] })).not.toBe(templateHash({ a: 1, b: [2, 1] }))
  expect(templateHash({ a: 1 }, 1)).not.toBe(templateHash({ a: 1 }))
})

test('is a name that Kubernetes might have made', () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    expect(templateHash(value)).toMatch(/^[bcdf-hj-np-tv-xz2-9]{1,10}$/)
  })
  fc.assert(property)
})

test('canonical text says the same as the value', () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    expect(isDeepStrictEqual(JSON.parse(canonical(value)), JSON.parse(JSON.stringify(value)))).toBe(true)
  })
  fc.assert(property)
})
