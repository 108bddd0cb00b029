import { expect, test } from 'vitest'
import { median } from './drain-figures.ts'

test.each([
  { values: [3], expected: 3 },
  { values: [4, 2], expected: 3 },
  { values: [9, 1, 2], expected: 2 },
  { values: [4, 1, 9, 2], expected: 3 },
])('the median of $values is $expected', ({ values, expected }) => expect(median(values)).toBe(expected))
