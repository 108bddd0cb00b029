import fc from 'fast-check'
import { expect, test } from 'vitest'

import { AssertionError } from './assert.ts'
import { sleep } from './clock.ts'
import { TokenBucket } from './token-bucket.ts'
import { VirtualClock } from './virtual-clock.ts'

const caller = fc.record({
  arrivesMs: fc.integer({ min: 0, max: 3_000 }),
  leavesAfterMs: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
})
const settings = fc.record({
  ratePerSecond: fc.double({ min: 1, max: 100, noNaN: true }),
  burst: fc.integer({ min: 1, max: 8 }),
})

test('no stretch of time sees more than burst plus rate, callers are served in order, and none is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(caller, { maxLength: 40 }), async ({ ratePerSecond, burst }, callers) => {
      const clock = new VirtualClock()
      const bucket = new TokenBucket({ clock, ratePerSecond, burst })
      const asked: number[] = []
      const granted: { index: number; atMs: number }[] = []
      const settled = Promise.allSettled(
        callers.map(async ({ arrivesMs, leavesAfterMs }, index) => {
          await sleep(clock, arrivesMs)
          const abort = new AbortController()
          if (leavesAfterMs !== undefined) clock.timer(leavesAfterMs, () => abort.abort(new Error('left')))
          asked.push(index)
          await bucket.take(abort.signal)
          granted.push({ index, atMs: clock.monotonicMs() })
        }),
      )
      await clock.advance(60_000)
      const results = await settled
      for (const [first, from] of granted.entries()) {
        for (const [offset, to] of granted.slice(first).entries()) {
          const allowed = burst + (ratePerSecond * (to.atMs - from.atMs)) / 1_000
          expect(offset + 1).toBeLessThanOrEqual(allowed + 1e-6)
        }
      }
      const served = granted.map(({ index }) => index)
      expect(served).toEqual(asked.filter((index) => served.includes(index)))
      expect(results.map(({ status }, index) => status === 'fulfilled' || !served.includes(index))).not.toContain(false)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(served.length)
      expect([bucket.waiting, clock.pendingTimers]).toEqual([0, 0])
    }),
    { numRuns: 40 },
  )
})

test('under steady demand it gives out exactly burst plus rate times time: nothing drifts', async () => {
  const rates = fc.record({ ratePerSecond: fc.integer({ min: 1, max: 30 }), burst: fc.integer({ min: 1, max: 10 }) })
  await fc.assert(
    fc.asyncProperty(rates, async ({ ratePerSecond, burst }) => {
      const clock = new VirtualClock()
      const bucket = new TokenBucket({ clock, ratePerSecond, burst })
      let granted = 0
      const abort = new AbortController()
      const work = async () => {
        for (;;) {
          await bucket.take(abort.signal)
          granted++
        }
      }
      const workers = Promise.allSettled([work(), work(), work()])
      // A millisecond more, because the last token comes a rounding error after the tenth second.
      await clock.advance(10_001)
      expect(granted).toBe(burst + ratePerSecond * 10)
      abort.abort(new Error('over'))
      await workers
      expect(clock.pendingTimers).toBe(0)
    }),
    { numRuns: 20 },
  )
})

test('timers that fire late cost no token', async () => {
  const clock = new VirtualClock()
  const late = { ...timesOf(clock), timer: (delayMs: number, call: () => void) => clock.timer(delayMs + 7, call) }
  const bucket = new TokenBucket({ clock: late, ratePerSecond: 10, burst: 1 })
  let granted = 0
  for (let index = 0; index < 200; index++) void bucket.take().then(() => granted++)
  await clock.advance(10_007)
  expect(granted).toBe(101)
})

test('after a long standstill of the process only the burst and one more go at once', async () => {
  const clock = new VirtualClock()
  const late = {
    ...timesOf(clock),
    timer: (delayMs: number, call: () => void) => clock.timer(delayMs + 3_600_000, call),
  }
  const bucket = new TokenBucket({ clock: late, ratePerSecond: 10, burst: 4 })
  let granted = 0
  for (let index = 0; index < 200; index++) void bucket.take().then(() => granted++)
  await clock.advance(3_600_100)
  expect(granted).toBe(4 + 5)
})

const timesOf = (clock: VirtualClock) => ({ nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs() })

test('tryTake never passes those who wait', async () => {
  const clock = new VirtualClock()
  const bucket = new TokenBucket({ clock, ratePerSecond: 1, burst: 2 })
  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false])
  const waiting = bucket.take()
  expect(bucket.tryTake()).toBe(false)
  await clock.advance(1_000)
  await waiting
  expect(bucket.tryTake()).toBe(false)
  await clock.advance(1_000)
  expect(bucket.tryTake()).toBe(true)
})

test('tryTake does not take the token of who waits while the timer is late', async () => {
  const clock = new VirtualClock()
  const late = { ...timesOf(clock), timer: (delayMs: number, call: () => void) => clock.timer(delayMs + 7, call) }
  const bucket = new TokenBucket({ clock: late, ratePerSecond: 1, burst: 1 })
  await bucket.take()
  const waiting = bucket.take()
  await clock.advance(1_003)
  expect(bucket.tryTake()).toBe(false)
  await clock.advance(4)
  await waiting
})

test('who leaves the front of the line does not delay the next', async () => {
  const clock = new VirtualClock()
  const bucket = new TokenBucket({ clock, ratePerSecond: 1, burst: 1 })
  await bucket.take()
  const abort = new AbortController()
  const first = bucket.take(abort.signal)
  let servedAtMs = 0
  void bucket.take().then(() => (servedAtMs = clock.monotonicMs()))
  await clock.advance(400)
  abort.abort(new Error('left'))
  await expect(first).rejects.toThrow('left')
  await clock.advance(1_000)
  expect(servedAtMs).toBe(1_000)
})

test('a long pause saves up no more than the burst', async () => {
  const clock = new VirtualClock()
  const bucket = new TokenBucket({ clock, ratePerSecond: 5, burst: 3 })
  await clock.advance(3_600_000)
  expect(Array.from({ length: 5 }, () => bucket.tryTake())).toEqual([true, true, true, false, false])
})

test.each([
  { ratePerSecond: 0, burst: 1 },
  { ratePerSecond: -1, burst: 1 },
  { ratePerSecond: Number.POSITIVE_INFINITY, burst: 1 },
  { ratePerSecond: 1, burst: 0 },
])('refuses a rate of $ratePerSecond with a burst of $burst', (options) => {
  expect(() => new TokenBucket({ clock: new VirtualClock(), ...options })).toThrow(AssertionError)
})
