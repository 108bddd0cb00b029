import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { decideTaintEviction } from './decide-taint-eviction.ts'

const nowMs = 1_000_000
const taint = { key: 'gone', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }
const other = { ...taint, key: 'other' }
const tolerating = (tolerationSeconds?: number, key = 'gone') => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})
const stay = { kind: 'stay' }
const leave = { kind: 'leave' }
const later = (sinceMs: number, seconds: number) => ({
  kind: 'leaveLater',
  eviction: { sinceMs, atMs: sinceMs + seconds * 1_000 },
})
const sinceMs = nowMs - 60_000
const begun = (seconds: number) => ({ sinceMs, atMs: sinceMs + seconds * 1_000 })

test.each([
  { name: 'no taint, no reason to go', taints: [], tolerations: [], expected: stay },
  {
    name: 'no taint any more, and the count is forgotten',
    taints: [],
    tolerations: [],
    scheduled: begun(10),
    expected: stay,
  },
  {
    name: 'NoSchedule is no reason either',
    taints: [{ ...taint, effect: 'NoSchedule' }],
    tolerations: [],
    expected: stay,
  },
  { name: 'untolerated', taints: [taint], tolerations: [], expected: leave },
  {
    name: 'untolerated, after a count has begun',
    taints: [taint],
    tolerations: [],
    scheduled: begun(300),
    expected: leave,
  },
  { name: 'tolerated forever', taints: [taint], tolerations: [tolerating()], expected: stay },
  {
    name: 'tolerated forever by now',
    taints: [taint],
    tolerations: [tolerating()],
    scheduled: begun(300),
    expected: stay,
  },
  {
    name: 'tolerated for a time, from when it is seen',
    taints: [taint],
    tolerations: [tolerating(300)],
    expected: later(nowMs, 300),
  },
  { name: 'tolerated for no time', taints: [taint], tolerations: [tolerating(0)], expected: leave },
  {
    name: 'the first toleration that matches counts',
    taints: [taint],
    tolerations: [tolerating(300), tolerating(100)],
    expected: later(nowMs, 300),
  },
  {
    name: 'of two taints the shorter time counts',
    taints: [taint, other],
    tolerations: [tolerating(300), tolerating(100, 'other')],
    expected: later(nowMs, 100),
  },
  {
    name: 'one taint forever, the other for a time',
    taints: [taint, other],
    tolerations: [tolerating(), tolerating(100, 'other')],
    expected: later(nowMs, 100),
  },
  { name: 'one of two untolerated', taints: [taint, other], tolerations: [tolerating()], expected: leave },
  {
    name: 'another taint does not begin the count anew',
    taints: [other],
    tolerations: [tolerating(300, 'other')],
    scheduled: begun(300),
    expected: later(sinceMs, 300),
  },
  {
    name: 'more tolerated afterwards changes nothing',
    taints: [taint],
    tolerations: [tolerating(600)],
    scheduled: begun(300),
    expected: later(sinceMs, 300),
  },
  { name: 'the time is up', taints: [taint], tolerations: [tolerating(60)], scheduled: begun(60), expected: leave },
])('$name', ({ taints, tolerations, scheduled, expected }) => {
  const node = { metadata: storedMeta(), spec: { taints } }
  expect(decideTaintEviction({ metadata: storedMeta(), spec: { tolerations } }, node, { scheduled, nowMs })).toEqual(
    expected,
  )
})
