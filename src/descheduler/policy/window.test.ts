import { describe, expect, test } from 'vitest'
import { weekdays, type TimeWindow } from './policy.ts'
import { isTimeZone, isWithin, nextBeginMs } from './window.ts'

const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

function windowOf(times: string, choices: Partial<Pick<TimeWindow, 'days' | 'timeZone'>> = {}): TimeWindow {
  const [from = '', to = ''] = times.split('-')
  return { days: weekdays, timeZone: 'UTC', ...choices, fromMinute: minutes(from), toMinute: minutes(to) }
}

const prague = { timeZone: 'Europe/Prague' }

describe('a window is open', () => {
  test.each([
    { name: 'from its first minute', window: windowOf('09:00-17:00'), at: '2026-06-01T09:00:00Z', expected: true },
    { name: 'not before it', window: windowOf('09:00-17:00'), at: '2026-06-01T08:59:59.999Z', expected: false },
    { name: 'to its last minute', window: windowOf('09:00-17:00'), at: '2026-06-01T16:59:59.999Z', expected: true },
    { name: 'not after it', window: windowOf('09:00-17:00'), at: '2026-06-01T17:00:00Z', expected: false },
    { name: 'before midnight', window: windowOf('22:00-06:00'), at: '2026-06-01T23:00:00Z', expected: true },
    { name: 'after midnight', window: windowOf('22:00-06:00'), at: '2026-06-01T05:59:00Z', expected: true },
    { name: 'not at noon', window: windowOf('22:00-06:00'), at: '2026-06-01T12:00:00Z', expected: false },
    { name: 'a whole day', window: windowOf('00:00-24:00'), at: '2026-06-01T23:59:59Z', expected: true },
    {
      name: 'on its day',
      window: windowOf('09:00-17:00', { days: ['Monday'] }),
      at: '2026-06-01T12:00:00Z',
      expected: true,
    },
    {
      name: 'not on another day',
      window: windowOf('09:00-17:00', { days: ['Monday'] }),
      at: '2026-06-02T12:00:00Z',
      expected: false,
    },
    {
      name: 'in the night after its day',
      window: windowOf('22:00-06:00', { days: ['Friday'] }),
      at: '2026-06-06T02:00:00Z',
      expected: true,
    },
    {
      name: 'not in the night before its day',
      window: windowOf('22:00-06:00', { days: ['Friday'] }),
      at: '2026-06-05T02:00:00Z',
      expected: false,
    },
    {
      name: 'in the night from Saturday to Sunday',
      window: windowOf('22:00-06:00', { days: ['Saturday'] }),
      at: '2026-06-07T02:00:00Z',
      expected: true,
    },
    {
      name: 'by the clock of summer',
      window: windowOf('22:00-06:00', prague),
      at: '2026-06-01T20:00:00Z',
      expected: true,
    },
    {
      name: 'by the clock of winter',
      window: windowOf('22:00-06:00', prague),
      at: '2026-01-01T20:00:00Z',
      expected: false,
    },
    {
      name: 'on the day of its time zone',
      window: windowOf('00:00-02:00', { days: ['Tuesday'], timeZone: 'Asia/Tokyo' }),
      at: '2026-06-01T15:30:00Z',
      expected: true,
    },
    {
      name: 'in both hours that have its time',
      window: windowOf('02:00-03:00', prague),
      at: '2026-10-25T01:30:00Z',
      expected: true,
    },
  ])('$name: $expected', ({ window, at, expected }) => expect(isWithin(window, Date.parse(at))).toBe(expected))
})

describe('a window opens', () => {
  test.each([
    {
      name: 'now, if it is open',
      window: windowOf('09:00-17:00'),
      at: '2026-06-01T12:34:56.789Z',
      expected: '2026-06-01T12:34:56.789Z',
    },
    {
      name: 'later today',
      window: windowOf('09:00-17:00'),
      at: '2026-06-01T08:59:59.999Z',
      expected: '2026-06-01T09:00:00.000Z',
    },
    {
      name: 'tomorrow',
      window: windowOf('09:00-17:00'),
      at: '2026-06-01T17:00:00Z',
      expected: '2026-06-02T09:00:00.000Z',
    },
    {
      name: 'at night',
      window: windowOf('22:00-06:00'),
      at: '2026-06-01T06:00:00Z',
      expected: '2026-06-01T22:00:00.000Z',
    },
    {
      name: 'next week',
      window: windowOf('09:00-17:00', { days: ['Monday'] }),
      at: '2026-06-01T17:00:00Z',
      expected: '2026-06-08T09:00:00.000Z',
    },
    {
      name: 'on the first of its days',
      window: windowOf('09:00-17:00', { days: ['Monday', 'Thursday'] }),
      at: '2026-06-01T17:00:00Z',
      expected: '2026-06-04T09:00:00.000Z',
    },
    {
      name: 'at midnight of its time zone',
      window: windowOf('00:00-02:00', { timeZone: 'Asia/Tokyo' }),
      at: '2026-06-01T12:00:00Z',
      expected: '2026-06-01T15:00:00.000Z',
    },
    {
      name: 'an hour earlier by UTC after the clock went forward',
      window: windowOf('22:00-23:00', prague),
      at: '2026-03-28T22:00:00Z',
      expected: '2026-03-29T20:00:00.000Z',
    },
    {
      name: 'when the clock goes over its beginning',
      window: windowOf('02:30-06:00', prague),
      at: '2026-03-29T00:00:00Z',
      expected: '2026-03-29T01:00:00.000Z',
    },
    {
      name: 'a week later, when the clock goes over all of it',
      window: windowOf('02:15-02:45', { ...prague, days: ['Sunday'] }),
      at: '2026-03-29T00:00:00Z',
      expected: '2026-04-05T00:15:00.000Z',
    },
    {
      name: 'at the first of two such times',
      window: windowOf('02:30-03:00', prague),
      at: '2026-10-25T00:00:00Z',
      expected: '2026-10-25T00:30:00.000Z',
    },
    {
      name: 'at the second of two such times',
      window: windowOf('02:15-02:30', prague),
      at: '2026-10-25T00:40:00Z',
      expected: '2026-10-25T01:15:00.000Z',
    },
    {
      name: 'once more, when the clock goes back into it',
      window: windowOf('22:00-02:30', prague),
      at: '2026-10-25T00:45:00Z',
      expected: '2026-10-25T01:00:00.000Z',
    },
  ])('$name', ({ window, at, expected }) => {
    expect(new Date(nextBeginMs(window, Date.parse(at))).toISOString()).toBe(expected)
  })

  test.each([
    { timeZone: 'Europe/Prague', changes: ['2026-03-29T01:00Z', '2026-10-25T01:00Z'] },
    { timeZone: 'America/New_York', changes: ['2026-03-08T07:00Z', '2026-11-01T06:00Z'] },
    { timeZone: 'America/Santiago', changes: ['2026-04-05T03:00Z', '2026-09-06T04:00Z'] },
    { timeZone: 'Australia/Lord_Howe', changes: ['2026-04-04T15:00Z', '2026-10-03T15:30Z'] },
    { timeZone: 'Pacific/Chatham', changes: ['2026-04-04T14:00Z', '2026-09-26T14:00Z'] },
  ])('at the first moment that is within it, around the changes of the clock of $timeZone', ({ timeZone, changes }) => {
    const windows = [
      windowOf('23:55-03:10', { timeZone, days: ['Saturday', 'Sunday'] }),
      windowOf('23:30-00:30', { timeZone }),
      windowOf('02:10-02:20', { timeZone }),
      windowOf('01:30-01:45', { timeZone }),
    ]
    const times = changes.flatMap((change) =>
      Array.from({ length: 120 }, (_, index) => Date.parse(change) + (index - 40) * 300_000),
    )
    for (const window of windows) {
      const isOpen = times.map((timeMs) => isWithin(window, timeMs))
      for (const from of [0, 20, 35, 40, 45, 60, 120, 140, 155, 160, 165, 180]) {
        const first = times.find((_, index) => index >= from && index < from + 60 && isOpen[index])
        if (first !== undefined) expect(nextBeginMs(window, times[from] ?? 0)).toBe(first)
      }
    }
  })
})

test.each([
  { name: 'UTC', expected: true },
  { name: 'Europe/Prague', expected: true },
  { name: 'Europe/Atlantis', expected: false },
  { name: '', expected: false },
])('"$name" is a time zone: $expected', ({ name, expected }) => expect(isTimeZone(name)).toBe(expected))
