import { expect, test } from 'vitest'
import { checkDepth, depthMax, fieldOf, jsonEqual, setField, type JsonObject, goText } from './json.ts'

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

test('a value as deep as allowed passes', () => {
  expect(() => checkDepth(nested(depthMax))).not.toThrow()
})

test('a deeper one is refused, however deep', () => {
  expect(() => checkDepth(nested(depthMax + 1))).toThrow('exceeded max depth')
  let deep: unknown = {}
  for (let level = 0; level < 200_000; level++) deep = { deep }
  expect(() => checkDepth(deep)).toThrow('exceeded max depth')
})

test('fields are those of the object itself', () => {
  expect(fieldOf({}, 'constructor')).toBeUndefined()
  expect(fieldOf({ constructor: 1 }, 'constructor')).toBe(1)
})

test('a field named __proto__ is a field', () => {
  const object: JsonObject = {}
  setField(object, '__proto__', { polluted: true })
  expect(Object.keys(object)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
})

test.each([
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: 1 }, { b: 1 }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
])('%j and %j are equal: %j', (one, other, expected) => {
  expect(jsonEqual(one, other)).toBe(expected)
})

test.each([
  { value: { b: 1, a: 'x' }, text: 'map[a:x b:1]' },
  { value: [1, [true, null]], text: '[1 [true <nil>]]' },
])('goText of $value', ({ value, text }) => {
  expect(goText(value)).toBe(text)
})
