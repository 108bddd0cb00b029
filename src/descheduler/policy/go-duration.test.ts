import { describe, expect, test } from 'vitest'
import { problemsInArgs } from '../../../test/build/descheduler-policy.ts'
import { parseGoDuration } from './go-duration.ts'

const hourMs = 3_600_000

test.each([
  ['0', 0],
  ['-0', 0],
  ['1h30m', 1.5 * hourMs],
  ['1.5h', 1.5 * hourMs],
  ['300ms', 300],
  ['48h', 48 * hourMs],
  ['1h0m5.5s', hourMs + 5_500],
  ['.5s', 500],
  ['1.s', 1_000],
  ['+5m', 300_000],
  ['-5m', -300_000],
  ['1us', 0.001],
  ['1µs', 0.001],
  ['1μs', 0.001],
  ['1ns', 0.000_001],
  ['5s5s', 10_000],
  ['0.1h', hourMs / 10],
  ['2562047h', 2_562_047 * hourMs],
])('%s is %d ms', (text, expected) => expect(Math.abs(parseGoDuration(text) ?? NaN)).toBeCloseTo(Math.abs(expected)))

test.each([
  { text: '-5m', expected: -1 },
  { text: '+5m', expected: 1 },
])('the sign of $text is kept', ({ text, expected }) => expect(Math.sign(parseGoDuration(text) ?? 0)).toBe(expected))

test.each([
  '',
  ' ',
  '5',
  '1d',
  'h',
  '.s',
  '1h 30m',
  '1,5h',
  '--1s',
  '1h-5m',
  '1S',
  '2562048h',
  '9223372036854775808ns',
])('"%s" is no duration', (text) => expect(parseGoDuration(text)).toBeUndefined())

describe('in a policy', () => {
  test.each([
    { name: 'a number has no unit', value: '300' },
    { name: 'a day is no unit', value: '1d' },
    { name: 'an empty text is not left out', value: '""' },
  ])('$name', ({ value }) => {
    expect(problemsInArgs('DefaultEvictor', `{ minPodAge: ${value} }`)).toEqual([
      `args.minPodAge is ${value === '1d' ? '"1d"' : value}: must be a duration such as 1h30m, 1.5h, 90s or 300ms`,
    ])
  })
})
