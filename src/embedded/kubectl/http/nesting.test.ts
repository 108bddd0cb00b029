import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNestedTooDeep, isValueNestedTooDeep, nestingDepthMax } from './nesting.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`

test('as deep as allowed passes, one level more does not', () => {
  expect(isNestedTooDeep(bytes(nested(nestingDepthMax)))).toBe(false)
  expect(isNestedTooDeep(bytes(`[${nested(nestingDepthMax)}]`))).toBe(true)
  expect(isValueNestedTooDeep(JSON.parse(nested(nestingDepthMax)))).toBe(false)
  expect(isValueNestedTooDeep(JSON.parse(`[${nested(nestingDepthMax)}]`))).toBe(true)
})

test.each([
  { name: 'brackets in texts', json: `"${'['.repeat(5_000)}"` },
  { name: 'brackets after a quoted quote', json: `"\\"${'{'.repeat(5_000)}"` },
  { name: 'many side by side', json: `[${'[],'.repeat(5_000)}[]]` },
])('$name are not depth', ({ json }) => {
  expect(isNestedTooDeep(bytes(json))).toBe(false)
})

test('both ways to count agree on every JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 1, max: 6 }), (value, depthMax) => {
      // Padded, because a text shorter than the depth cannot be deeper, and an empty array has no level below it.
      const json = bytes(JSON.stringify(value) + ' '.repeat(depthMax))
      const deepest = depthOf(value)
      expect(isNestedTooDeep(json, depthMax)).toBe(deepest > depthMax)
    }),
  )
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
