import { expect, test } from 'vitest'
import { renderDuration } from './duration.ts'

test.each([
  [0, '0s'],
  [-5_000, '0s'],
  [999, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [80_500, '1m20s'],
  [3_600_000, '1h'],
  [7_500_000, '2h5m'],
  [86_400_000, '1d'],
  [273_600_000, '3d4h'],
])('%i ms are %s', (ms, expected) => expect(renderDuration(ms)).toBe(expected))
