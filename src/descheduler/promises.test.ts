import { expect, test } from 'vitest'
import { nowMs, podView } from '../../test/build/descheduler-view.ts'
import { promisedAmong } from './promises.ts'

const minutes = (count: number) => count * 60_000
const only = { requestEvictOnly: true }
const marked = { ...only, evictionInProgress: true }

test.each([
  { name: 'a mark counts', marks: marked, isLeaving: true, isOpen: false },
  { name: 'a mark counts, however long it takes', marks: marked, madeMs: nowMs - minutes(60), isLeaving: true },
  { name: 'a mark takes the place of the promise', marks: marked, madeMs: nowMs, isLeaving: true },
  { name: 'a mark on a pod that takes usual evictions means nothing', marks: { evictionInProgress: true } },
  { name: 'a pod that is over is on no way', marks: marked, phase: 'Succeeded' as const, madeMs: nowMs },
  { name: 'a promise counts', marks: only, madeMs: nowMs, isLeaving: true, isOpen: true },
  { name: 'a promise counts for ten minutes', marks: only, madeMs: nowMs - minutes(10), isLeaving: true, isOpen: true },
  { name: 'a promise counts no longer', marks: only, madeMs: nowMs - minutes(10) - 1 },
  { name: 'a promise of the future does not count until then', marks: only, madeMs: nowMs + minutes(10) + 1 },
  { name: 'without a promise nothing counts', marks: only },
])('$name', ({ marks, phase = 'Running', madeMs, isLeaving = false, isOpen = false }) => {
  const pod = podView({ name: 'machine', marks, phase })
  const promisedMs = new Map(madeMs === undefined ? [] : [[pod.uid, madeMs]])
  const { leaving, openMs } = promisedAmong([pod], promisedMs, nowMs)
  expect([...leaving]).toEqual(isLeaving ? [pod.uid] : [])
  expect([...openMs]).toEqual(isOpen ? [[pod.uid, madeMs]] : [])
})

test('promises of pods that are gone are forgotten', () => {
  expect(promisedAmong([], new Map([['gone-uid', nowMs]]), nowMs).openMs.size).toBe(0)
})
