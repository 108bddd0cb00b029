import { expect, test } from 'vitest'
import { parseMilli } from './quantity.ts'

test.each([
  { text: '1', expected: 1_000 },
  { text: '100m', expected: 100 },
  { text: '0.1', expected: 100 },
  { text: '1.5', expected: 1_500 },
  { text: '1Ki', expected: 1_024_000 },
  { text: '2Gi', expected: 2 * 2 ** 30 * 1_000 },
  { text: '1e3', expected: 1_000_000 },
  { text: '1k', expected: 1_000_000 },
  { text: '1n', expected: 1 },
  { text: 2, expected: 2_000 },
  { text: 'much', expected: 0 },
  { text: '', expected: 0 },
  { text: undefined, expected: 0 },
])('$text is $expected thousandths', ({ text, expected }) => {
  expect(parseMilli(text)).toBe(expected)
})
