import fc from 'fast-check'
import { expect, test } from 'vitest'

import { AssertionError } from './assert.ts'
import { backoffMs } from './backoff.ts'
import { seededRandom } from './random.ts'

const middle = { next: () => 0.5 }
const options = { initialMs: 200, maxMs: 60_000, jitter: 0.1 }

test.each([
  { failures: 1, expected: 200 },
  { failures: 2, expected: 400 },
  { failures: 3, expected: 800 },
  { failures: 9, expected: 51_200 },
  { failures: 10, expected: 60_000 },
  { failures: 100_000, expected: 60_000 },
])('after $failures failures it waits $expected ms', ({ failures, expected }) => {
  expect(backoffMs(failures, options, middle)).toBe(expected)
})

test('jitter moves a delay by at most its share, either way', () => {
  expect(backoffMs(1, options, { next: () => 0 })).toBeCloseTo(180)
  expect(backoffMs(1, options, { next: () => 1 - 2 ** -32 })).toBeCloseTo(220)
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 1_000 }), (seed, failures) => {
      const delayMs = backoffMs(failures, options, seededRandom(seed).stream('jitter'))
      expect(delayMs).toBeGreaterThanOrEqual(180)
      expect(delayMs).toBeLessThanOrEqual(66_000)
    }),
  )
})

test('there is no back-off without a failure', () => {
  expect(() => backoffMs(0, options, middle)).toThrow(AssertionError)
})
