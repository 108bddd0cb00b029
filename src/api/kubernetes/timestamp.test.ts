import { expect, test } from 'vitest'
import { timestamp } from './timestamp.ts'

test('times are whole seconds that have been', () => {
  expect(timestamp(Date.UTC(2026, 0, 1, 12) + 750)).toBe('2026-01-01T12:00:00Z')
})
