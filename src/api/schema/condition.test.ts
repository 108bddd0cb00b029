import { describe, expect, test } from 'vitest'
import { conditionIsTrue, withCondition } from './condition.ts'

const drained = { type: 'Drained', status: 'False', reason: 'PodsLeft', message: '3 pods left' } as const

describe('withCondition', () => {
  test('a new condition changed now', () => {
    expect(withCondition([], drained, '2026-01-01T00:00:00Z')).toEqual([
      { ...drained, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ])
  })

  test('another message is no transition', () => {
    const before = withCondition([], drained, '2026-01-01T00:00:00Z')
    const after = withCondition(before, { ...drained, message: '2 pods left' }, '2026-01-02T00:00:00Z')
    expect(after).toEqual([{ ...drained, message: '2 pods left', lastTransitionTime: '2026-01-01T00:00:00Z' }])
  })

  test('another status is one', () => {
    const before = withCondition([], drained, '2026-01-01T00:00:00Z')
    const after = withCondition(before, { ...drained, status: 'True' }, '2026-01-02T00:00:00Z')
    expect(after.map((condition) => condition.lastTransitionTime)).toEqual(['2026-01-02T00:00:00Z'])
    expect(conditionIsTrue(after, 'Drained')).toBe(true)
  })

  test('others stay, sorted by type', () => {
    const before = withCondition([], drained, '2026-01-01T00:00:00Z')
    const after = withCondition(before, { ...drained, type: 'Blocked' }, '2026-01-01T00:00:00Z')
    expect(after.map((condition) => condition.type)).toEqual(['Blocked', 'Drained'])
  })
})

test('a condition that is absent is not true', () => {
  expect(conditionIsTrue(undefined, 'Drained')).toBe(false)
  expect(conditionIsTrue([], 'Drained')).toBe(false)
})
