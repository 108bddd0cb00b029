import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, jsonEqual, type JsonObject } from './json.ts'
import { mergePatch } from './merge-patch.ts'

// The table of RFC 7386, where the real server agrees with it.
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  // In lists the real server drops nulls of objects, but not nulls.
  [{}, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
  [{ a: { b: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
])('%j patched by %j is %j', (original, patch, expected) => {
  expect(mergePatch(original, patch)).toEqual(expected)
})

test('a patch pollutes no prototype', () => {
  const patched = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}}}'))
  expect(({} as JsonObject)['polluted']).toBeUndefined()
  expect(Object.keys(patched as object)).toEqual(['__proto__', 'constructor'])
})

/** The merge patch that turns one object into another. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    if (isObject(before) && isObject(value)) patch[key] = difference(before, value)
    else if (!jsonEqual(before, value)) patch[key] = value
  }
  return patch
}

const values = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer()), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('value'), { noNullPrototype: true }),
}))

test('the difference of two objects, merged into the first, gives the second, and leaves the first alone', () => {
  fc.assert(
    fc.property(values.object, values.object, (from, to) => {
      const before = structuredClone(from)
      expect(mergePatch(from, difference(from, to))).toEqual(to)
      expect(from).toEqual(before)
    }),
  )
})
