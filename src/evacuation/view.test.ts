import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation.ts'
import { conditionOf, progressDeadlineMs } from './view.ts'

const evacuation: Evacuation = {
  metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
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
