import { weekdays, type TimeWindow } from './policy.ts'

// Times of day are those on the clock of the window's time zone. An hour that a change of the clock leaves out is in no
// window, and one that comes twice is in a window twice.

const minuteMs = 60_000
const dayMinutes = 24 * 60
const dayMs = dayMinutes * minuteMs
/** A window of one day a week may miss one week, when the clock changes. */
const daysAhead = 15

export function isTimeZone(name: string): boolean {
  try {
    return localFormat(name) !== undefined
  } catch {
    return false
  }
}

/** Whether the clock shows a time of the window. A window that ends after midnight belongs to the day on which it began. */
export function isWithin(window: TimeWindow, nowMs: number): boolean {
  return isWithinAt(window, localMs(localFormat(window.timeZone), nowMs))
}

/** The first moment from now on that is within the window: now, if it is open. */
export function nextBeginMs(window: TimeWindow, nowMs: number): number {
  const format = localFormat(window.timeZone)
  const isOpenAt = (timeMs: number) => isWithinAt(window, localMs(format, timeMs))
  if (isOpenAt(nowMs)) return nowMs
  const openings = [...beginsOf(window, format, nowMs), ...clockChanges(format, nowMs)]
  return Math.min(...openings.filter((timeMs) => timeMs > nowMs && isOpenAt(timeMs)))
}

/** Whenever the clock shows the time at which the window begins, on any day. */
function beginsOf({ fromMinute }: TimeWindow, format: Intl.DateTimeFormat, nowMs: number): number[] {
  const todayLocalMs = Math.floor(localMs(format, nowMs) / dayMs) * dayMs
  return Array.from({ length: daysAhead }, (_, day) => todayLocalMs + day * dayMs + fromMinute * minuteMs).flatMap(
    (beginLocalMs) => {
      const offsets = [beginLocalMs - dayMs, beginLocalMs + dayMs].map((timeMs) => offsetMs(format, timeMs))
      const times = offsets.map((offset) => beginLocalMs - offset)
      return times.filter((timeMs) => localMs(format, timeMs) === beginLocalMs)
    },
  )
}

/** A change of the clock may skip the beginning of a window, or go back into one that was over. */
function clockChanges(format: Intl.DateTimeFormat, nowMs: number): number[] {
  return Array.from({ length: daysAhead }, (_, day) => nowMs + day * dayMs)
    .filter((timeMs) => offsetMs(format, timeMs) !== offsetMs(format, timeMs + dayMs))
    .map((timeMs) => clockChangeMs(format, timeMs, timeMs + dayMs))
}

/** The first moment with the later offset. */
function clockChangeMs(format: Intl.DateTimeFormat, earlyMs: number, lateMs: number): number {
  const before = offsetMs(format, earlyMs)
  let [lowMs, highMs] = [earlyMs, lateMs]
  while (highMs - lowMs > 1) {
    const middleMs = Math.floor((lowMs + highMs) / 2)
    if (offsetMs(format, middleMs) === before) lowMs = middleMs
    else highMs = middleMs
  }
  return highMs
}

function isWithinAt({ days, fromMinute, toMinute }: TimeWindow, local: number): boolean {
  const minute = Math.floor((local % dayMs) / minuteMs)
  const isDay = (dayLocalMs: number) => {
    const weekday = weekdays[new Date(dayLocalMs).getUTCDay()]
    return weekday !== undefined && days.includes(weekday)
  }
  if (fromMinute < toMinute) return isDay(local) && minute >= fromMinute && minute < toMinute
  return (isDay(local) && minute >= fromMinute) || (isDay(local - dayMs) && minute < toMinute)
}

function offsetMs(format: Intl.DateTimeFormat, timeMs: number): number {
  return localMs(format, timeMs) - Math.floor(timeMs / 1_000) * 1_000
}

/** What the clock shows, as if it were UTC, in whole seconds. */
function localMs(format: Intl.DateTimeFormat, timeMs: number): number {
  const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

function localFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}
