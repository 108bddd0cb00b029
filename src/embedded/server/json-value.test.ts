import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { cloneJson, sameJson, sharingUnchanged } from './json-value.ts'

/** Without the one key that a clone leaves out. */
const plainJson = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'))

test('sameJson agrees with a general comparison', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(sameJson(one, other)).toBe(
        isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))),
      )
      expect(sameJson(one, JSON.parse(JSON.stringify(one)))).toBe(true)
    }),
  )
})

test.each([
  { one: [], other: {}, same: false },
  { one: null, other: {}, same: false },
  { one: { a: 1, b: undefined }, other: { a: 1, c: undefined }, same: false },
  { one: { a: [1, { b: 2 }] }, other: { a: [1, { b: 2 }] }, same: true },
  { one: [1, 2], other: [2, 1], same: false },
])('$one and $other: $same', ({ one, other, same }) => {
  expect(sameJson(one, other)).toBe(same)
})

test('a clone is the same and shares nothing', () => {
  fc.assert(
    fc.property(plainJson, (value) => {
      expect(JSON.stringify(cloneJson(value))).toBe(JSON.stringify(value))
    }),
  )
  const original = { a: { b: [1] } }
  const copy = cloneJson(original) as typeof original
  copy.a.b.push(2)
  expect(original).toEqual({ a: { b: [1] } })
})

test('a clone cannot be given a prototype, and leaves out what is undefined', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"a":1}') as object
  expect(Object.getPrototypeOf(cloneJson(hostile))).toBe(Object.prototype)
  expect(Object.keys(cloneJson({ a: undefined, b: 1 }) as object)).toEqual(['b'])
})

test('what did not change is the very same', () => {
  const old = { spec: { a: 1 }, status: { b: 2 } }
  const next = sharingUnchanged({ spec: { a: 1 }, status: { b: 3 } }, old)
  expect(next.spec).toBe(old.spec)
  expect(next.status).toEqual({ b: 3 })
})
