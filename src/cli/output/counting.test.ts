import { expect, test } from 'vitest'
import { counting } from './counting.ts'

test.each([
  { count: 0, expected: '0 pods' },
  { count: 1, expected: '1 pod' },
  { count: 2, expected: '2 pods' },
])('$count: $expected', ({ count, expected }) => expect(counting(count, 'pod')).toBe(expected))
