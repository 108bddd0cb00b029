import type { Fields } from './fields.ts'
import { readDuration } from './go-duration.ts'
import { weekdays, type LifeboatSection, type TimeWindow } from './policy.ts'
import { isTimeZone } from './window.ts'

const dayMinutes = 24 * 60

/** The section `lifeboat` of a policy, or what holds without it. */
export function readLifeboatSection(fields: Fields | undefined): LifeboatSection {
  if (fields === undefined) {
    return { maxPercentPerOwner: undefined, returnBackoffMs: undefined, nodeFitAsScheduler: false, window: undefined }
  }
  const window = fields.object('window')
  return {
    maxPercentPerOwner: fields.integer('maxPercentPerOwner', { minimum: 1, maximum: 100 }),
    returnBackoffMs: readDuration(fields, 'returnBackoff', { minimum: '1m' }),
    nodeFitAsScheduler: fields.choice('nodeFit', ['AsScheduler', 'AsDescheduler']) === 'AsScheduler',
    window: window === undefined ? undefined : readWindow(window),
  }
}

function readWindow(fields: Fields): TimeWindow {
  const days = fields.choices('days', weekdays) ?? weekdays
  const fromMinute = readTimeOfDay(fields, 'from', { mayBeMidnightAtEnd: false })
  const toMinute = readTimeOfDay(fields, 'to', { mayBeMidnightAtEnd: true })
  if (fromMinute !== undefined && fromMinute === toMinute) {
    fields.wrong('to', 'must not be the same as from; a whole day is from 00:00 to 24:00')
  }
  const timeZone = fields.text('timeZone') ?? 'UTC'
  if (!isTimeZone(timeZone)) fields.wrong('timeZone', 'must be the name of a time zone, such as Europe/Prague')
  return {
    days: weekdays.filter((day) => days.includes(day)),
    fromMinute: fromMinute ?? 0,
    toMinute: toMinute ?? dayMinutes,
    timeZone,
  }
}

function readTimeOfDay(fields: Fields, name: string, options: { mayBeMidnightAtEnd: boolean }): number | undefined {
  const value = fields.value(name)
  const [, hours, minutes] = typeof value === 'string' ? (/^([01]\d|2[0-3]):([0-5]\d)$/u.exec(value) ?? []) : []
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes)
  if (options.mayBeMidnightAtEnd && value === '24:00') return dayMinutes
  fields.wrong(name, 'must be a time of day, such as "22:00"')
  return undefined
}
