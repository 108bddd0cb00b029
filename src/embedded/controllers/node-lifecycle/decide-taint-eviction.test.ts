import { expect, test } from 'vitest'
import { timeOf } from '../pod-status.ts'
import { decideTaintEviction } from './decide-taint-eviction.ts'

const then = '2026-01-01T00:00:00Z'
const thenMs = timeOf(then)
const taint = { key: 'gone', effect: 'NoExecute', timeAdded: then }
const tolerating = (tolerationSeconds?: number) => ({
  key: 'gone',
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})

test.each([
  { name: 'no taint, no reason to go', taints: [], tolerations: [], expected: { kind: 'stay' } },
  {
    name: 'NoSchedule is no reason either',
    taints: [{ ...taint, effect: 'NoSchedule' }],
    tolerations: [],
    expected: { kind: 'stay' },
  },
  { name: 'untolerated', taints: [taint], tolerations: [], expected: { kind: 'leave' } },
  { name: 'tolerated for ever', taints: [taint], tolerations: [tolerating()], expected: { kind: 'stay' } },
  {
    name: 'tolerated for a time',
    taints: [taint],
    tolerations: [tolerating(300)],
    expected: { kind: 'leaveAt', atMs: thenMs + 300_000 },
  },
  { name: 'that is over', taints: [taint], tolerations: [tolerating(10)], expected: { kind: 'leave' } },
  {
    name: 'the shorter counts',
    taints: [taint],
    tolerations: [tolerating(300), tolerating(100)],
    expected: { kind: 'leaveAt', atMs: thenMs + 100_000 },
  },
  {
    name: 'one of two untolerated',
    taints: [taint, { ...taint, key: 'other' }],
    tolerations: [tolerating()],
    expected: { kind: 'leave' },
  },
])('$name', ({ taints, tolerations, expected }) => {
  const node = { metadata: {}, spec: { taints } }
  expect(decideTaintEviction({ metadata: {}, spec: { tolerations } }, node, thenMs + 60_000)).toEqual(expected)
})
