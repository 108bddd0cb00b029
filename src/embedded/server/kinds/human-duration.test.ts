import { expect, test } from 'vitest'
import { ageOf, humanDuration } from './human-duration.ts'

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]

test.each([
  [-5 * second, '<invalid>'],
  [-1 * second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [3 * minute + 20 * second, '3m20s'],
  [10 * minute + 5 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [47 * hour, '47h'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [2 * 365 * day, '2y'],
  [2 * 365 * day + 4 * day, '2y4d'],
  [9 * 365 * day, '9y'],
])('%d ms is %s', (span, expected) => {
  expect(humanDuration(span)).toBe(expected)
})

test.each([
  [undefined, '<unknown>'],
  ['', '<unknown>'],
  ['soon', '<invalid>'],
  ['2026-01-31T12:00:00Z', '5s'],
])('the age of %s is %s', (timestamp, expected) => {
  expect(ageOf(timestamp, Date.parse('2026-01-31T12:00:05Z'))).toBe(expected)
})
