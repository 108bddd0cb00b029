import fc from 'fast-check'
import { expect, test } from 'vitest'

import { AssertionError } from './assert.ts'
import { sleep } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'

test('stands still until it is moved, and both times move together', async () => {
  const clock = new VirtualClock({ startMs: 1_000 })
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_000, 0])
  await clock.advance(250)
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_250, 250])
})

test('timers fire in the order of their time, those of one time in the order they were set', async () => {
  const delays = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(delays, async (delaysMs) => {
      const clock = new VirtualClock()
      const fired: number[] = []
      for (const [index, delayMs] of delaysMs.entries()) clock.timer(delayMs, () => fired.push(index))
      await clock.advance(20)
      const expected = [...delaysMs.keys()].toSorted((a, b) => (delaysMs[a] ?? 0) - (delaysMs[b] ?? 0) || a - b)
      expect(fired).toEqual(expected)
      expect(clock.pendingTimers).toBe(0)
    }),
    { numRuns: 50 },
  )
})

test('a timer sees the time it was set for, and one set on the way still fires', async () => {
  const clock = new VirtualClock({ startMs: 0 })
  const seenMs: number[] = []
  clock.timer(10, () => {
    seenMs.push(clock.nowMs())
    clock.timer(5, () => seenMs.push(clock.nowMs()))
  })
  await clock.advance(100)
  expect(seenMs).toEqual([10, 15])
  expect(clock.nowMs()).toBe(100)
})

test('what a timer woke up settles before the next timer fires', async () => {
  const clock = new VirtualClock()
  const order: string[] = []
  const walk = async () => {
    await sleep(clock, 10)
    for (let step = 0; step < 1_000; step++) await Promise.resolve()
    order.push('walked')
  }
  void walk()
  clock.timer(10, () => order.push('second timer'))
  await clock.advance(10)
  expect(order).toEqual(['walked', 'second timer'])
})

test('a disposed timer never fires', async () => {
  const clock = new VirtualClock()
  let fired = false
  const timer = clock.timer(10, () => (fired = true))
  timer[Symbol.dispose]()
  await clock.advance(100)
  expect(fired).toBe(false)
  expect(clock.pendingTimers).toBe(0)
})

test('a timer beyond the move stays, and a negative delay is due now', async () => {
  const clock = new VirtualClock()
  const fired: string[] = []
  clock.timer(11, () => fired.push('later'))
  clock.timer(-5, () => fired.push('now'))
  await clock.advance(10)
  expect(fired).toEqual(['now'])
  expect(clock.pendingTimers).toBe(1)
})

test('refuses a delay that is no number of milliseconds', () => {
  const clock = new VirtualClock()
  expect(() => clock.timer(Number.NaN, () => {})).toThrow(AssertionError)
  expect(() => clock.timer(Number.POSITIVE_INFINITY, () => {})).toThrow(AssertionError)
})
