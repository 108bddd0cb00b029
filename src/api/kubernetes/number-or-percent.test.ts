import { expect, test } from 'vitest'
import { resolveNumberOrPercent } from './number-or-percent.ts'

test.each([
  { value: 3, whole: 10, down: 3, up: 3 },
  { value: 0, whole: 10, down: 0, up: 0 },
  { value: '25%', whole: 10, down: 2, up: 3 },
  { value: '7%', whole: 100, down: 7, up: 7 },
  { value: '0%', whole: 10, down: 0, up: 0 },
  { value: '200%', whole: 3, down: 6, up: 6 },
  { value: '25', whole: 10, down: undefined, up: undefined },
  { value: 'some', whole: 10, down: undefined, up: undefined },
  { value: -1, whole: 10, down: undefined, up: undefined },
  { value: 1.5, whole: 10, down: undefined, up: undefined },
])('$value of $whole is $down, or $up rounded up', ({ value, whole, down, up }) => {
  expect(resolveNumberOrPercent(value, whole, 'down')).toBe(down)
  expect(resolveNumberOrPercent(value, whole, 'up')).toBe(up)
})
