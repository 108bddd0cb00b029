import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { conditionOf, progressDeadlineMs, seeProgress, withCountedProgress } from './view.ts'

const evacuation: Evacuation = {
  metadata: storedMeta({ namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' }),
  spec: { podRef: { name: 'a', uid: 'u' }, progressDeadlineSeconds: 600 },
}

test('the deadline counts from the creation while there is no progress', () => {
  expect(progressDeadlineMs(evacuation)).toBe(Date.UTC(2026, 0, 1, 0, 10))
})

test('the deadline counts from the last progress', () => {
  const status = {
    activeEvacuatorCompleted: false,
    evacuationCancellationPolicy: 'Allow',
    failedEvictionCounter: 0,
    message: '',
    evacuationProgressTimestamp: '2026-01-01T01:00:00Z',
  } as const
  expect(progressDeadlineMs({ ...evacuation, status })).toBe(Date.UTC(2026, 0, 1, 1, 10))
})

test('a condition is found by its type, and is undefined where there is none', () => {
  expect(conditionOf(evacuation, 'Blocked')).toBeUndefined()
})

/** By a process that has led since before the creation, unless said otherwise. */
const lookAt = (now: string, leadingSince = '00:00:00') => ({ nowMs: atMs(now), leadingSinceMs: atMs(leadingSince) })
const atMs = (time: string) => Date.parse(`2026-01-01T${time}Z`)
const reporting = (evacuationProgressTimestamp: string | undefined): Evacuation => ({
  ...evacuation,
  status: {
    activeEvacuatorCompleted: false,
    evacuationCancellationPolicy: 'Allow',
    failedEvictionCounter: 0,
    message: '',
    ...(evacuationProgressTimestamp === undefined ? {} : { evacuationProgressTimestamp }),
  },
})

test.each([
  { name: 'the past counts as it is', reported: '2026-01-01T00:30:00Z', deadline: '00:40:00' },
  { name: 'the present counts as it is', reported: '2026-01-01T01:00:00Z', deadline: '01:10:00' },
  { name: 'a minute ahead is read as now', reported: '2026-01-01T01:01:00Z', deadline: '01:10:00' },
  { name: 'a year ahead is read as now', reported: '2027-01-01T01:00:00Z', deadline: '01:10:00' },
  { name: 'what is no time is read as now', reported: 'soon', deadline: '01:10:00' },
  { name: 'without progress the creation counts', reported: undefined, deadline: '00:10:00' },
])('progress seen at 01:00: $name', ({ reported, deadline }) => {
  const object = reporting(reported)
  const first = seeProgress(undefined, object, lookAt('01:00:00'))
  expect(progressDeadlineMs(withCountedProgress(object, first))).toBe(atMs(deadline))
  // Looking again later changes nothing: the evacuator has said nothing since.
  const later = seeProgress(first, object, lookAt('05:00:00'))
  expect(progressDeadlineMs(withCountedProgress(object, later))).toBe(atMs(deadline))
})

test('another report counts from when it is seen', () => {
  const first = seeProgress(undefined, reporting('2027-01-01T00:00:00Z'), lookAt('01:00:00'))
  const next = reporting('2027-01-01T00:01:00Z')
  const seen = seeProgress(first, next, lookAt('01:05:00'))
  expect(progressDeadlineMs(withCountedProgress(next, seen))).toBe(atMs('01:15:00'))
})

test.each([
  { name: 'what was reported before counts from then', reported: '2026-01-01T00:30:00Z', deadline: '01:10:00' },
  { name: 'without a report the creation counts', reported: undefined, deadline: '00:10:00' },
  { name: 'a report since then counts as it is', reported: '2026-01-01T01:02:00Z', deadline: '01:12:00' },
])('this process leads since 01:00 and looks at 01:05: $name', ({ reported, deadline }) => {
  const object = reporting(reported)
  const first = seeProgress(undefined, object, lookAt('01:05:00', '01:00:00'))
  expect(progressDeadlineMs(withCountedProgress(object, first))).toBe(atMs(deadline))
})
