import { expect, test } from 'vitest'
import { resolveIntOrPercent } from './int-or-percent.ts'

test.each([
  { value: 3, total: 10, rounding: 'up', expected: 3 },
  { value: '25%', total: 10, rounding: 'up', expected: 3 },
  { value: '25%', total: 10, rounding: 'down', expected: 2 },
  { value: '100%', total: 7, rounding: 'down', expected: 7 },
  { value: '0%', total: 7, rounding: 'up', expected: 0 },
  { value: '2', total: 7, rounding: 'up', expected: 2 },
  { value: undefined, total: 7, rounding: 'up', expected: 0 },
  { value: 'many', total: 7, rounding: 'up', expected: 0 },
] as const)('$value of $total rounded $rounding is $expected', ({ value, total, rounding, expected }) => {
  expect(resolveIntOrPercent(value, total, rounding)).toBe(expected)
})
