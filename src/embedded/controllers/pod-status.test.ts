import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { isActive, isAvailable, isFinished, isReady, timeOf, withCondition } from './pod-status.ts'

const readySince = (lastTransitionTime: string) => ({
  metadata: storedMeta(),
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
})
const pod = readySince('2026-01-01T00:00:00Z')
const startMs = timeOf('2026-01-01T00:00:00Z')

describe('a pod', () => {
  test.each([
    { seconds: 0, afterMs: 0, expected: true },
    { seconds: 10, afterMs: 9_999, expected: false },
    { seconds: 10, afterMs: 10_000, expected: true },
  ])('with $seconds s to be ready for is available after $afterMs ms: $expected', ({ seconds, afterMs, expected }) => {
    expect(isAvailable(pod, seconds, startMs + afterMs)).toBe(expected)
  })

  test('that is not ready is not available', () => {
    expect(isAvailable({ metadata: storedMeta() }, 0, startMs)).toBe(false)
    expect(isReady({ metadata: storedMeta() })).toBe(false)
  })

  test.each(['Succeeded', 'Failed'])('that %s is finished, and not active', (phase) => {
    expect(isFinished({ metadata: storedMeta(), status: { phase } })).toBe(true)
    expect(isActive({ metadata: storedMeta(), status: { phase } })).toBe(false)
  })

  test('on its way out is not active', () => {
    expect(isActive({ metadata: storedMeta({ deletionTimestamp: '2026-01-01T00:00:00Z' }) })).toBe(false)
  })
})

test('the time of a condition moves only with its status', () => {
  const before = [{ type: 'Ready', status: 'True', lastTransitionTime: 'then' }]
  expect(withCondition(before, { type: 'Ready', status: 'True', reason: 'Again' }, 'now')).toEqual([
    { type: 'Ready', status: 'True', reason: 'Again', lastTransitionTime: 'then' },
  ])
  expect(withCondition(before, { type: 'Ready', status: 'False' }, 'now')).toEqual([
    { type: 'Ready', status: 'False', lastTransitionTime: 'now' },
  ])
  expect(withCondition(before, { type: 'Other', status: 'True' }, 'now')).toHaveLength(2)
})
