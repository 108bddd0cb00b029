import { expect, test } from 'vitest'
import { defaultProtections, extraProtections, weekdays } from './policy.ts'

test.each(weekdays.map((day, index) => ({ day, index })))('$day is where Date has it', ({ day, index }) => {
  const date = new Date(Date.UTC(2026, 5, 7 + index))
  expect(date.getUTCDay()).toBe(index)
  expect(date.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })).toBe(day)
})

test('no protection is both a default and an extra one', () => {
  const all = [...defaultProtections, ...extraProtections]
  expect(new Set(all).size).toBe(all.length)
})
