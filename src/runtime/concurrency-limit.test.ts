import fc from 'fast-check'
import { expect, test, vi } from 'vitest'

import { AssertionError } from './assert.ts'
import { sleep } from './clock.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { VirtualClock } from './virtual-clock.ts'

const job = fc.record({
  arrivesMs: fc.integer({ min: 0, max: 50 }),
  takesMs: fc.integer({ min: 0, max: 20 }),
  leavesAfterMs: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
  fails: fc.boolean(),
})

test('never more than the limit, first come first served, and nothing is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(job, { maxLength: 30 }), async (max, jobs) => {
      const clock = new VirtualClock()
      const limit = new ConcurrencyLimit(max)
      const asked: number[] = []
      const began: number[] = []
      let running = 0
      let runningMost = 0
      const outcomes = jobs.map(async ({ arrivesMs, takesMs, leavesAfterMs, fails }, index) => {
        await sleep(clock, arrivesMs)
        const abort = new AbortController()
        if (leavesAfterMs !== undefined) clock.timer(leavesAfterMs, () => abort.abort(new Error('left')))
        asked.push(index)
        await limit.run(async () => {
          began.push(index)
          runningMost = Math.max(runningMost, ++running)
          await sleep(clock, takesMs)
          running--
          if (fails) throw new Error('failed')
        }, abort.signal)
      })
      const settled = Promise.allSettled(outcomes)
      await clock.advance(2_000)
      const results = await settled
      expect(runningMost).toBeLessThanOrEqual(max)
      expect(began).toEqual(asked.filter((index) => began.includes(index)))
      for (const [index, result] of results.entries()) {
        const left = result.status === 'rejected' && String(result.reason).includes('left')
        expect(began.includes(index)).toBe(!left)
      }
      expect([limit.running, limit.waiting, running]).toEqual([0, 0, 0])
    }),
    { numRuns: 60 },
  )
})

const passes = async (waiting: Promise<unknown>) => {
  let passed = false
  void waiting.then(() => (passed = true))
  for (let turns = 0; turns < 10; turns++) await Promise.resolve()
  return passed
}

test('work that has time begins when there is room to spare, and in its order', async () => {
  const clock = new VirtualClock()
  const limit = new ConcurrencyLimit(4, { spareBelow: 2 })
  const [one, other] = [await limit.acquire(), await limit.acquire()]
  const first = limit.acquire(undefined, '', { clock, forMs: 1_000 })
  const second = limit.acquire(undefined, '', { clock, forMs: 1_000 })
  expect(limit.waiting).toBe(2)
  expect(await passes(first)).toBe(false)
  // Other work passes it by.
  const urgent = await limit.acquire()
  one[Symbol.dispose]()
  expect(await passes(first)).toBe(false)
  urgent[Symbol.dispose]()
  expect([await passes(first), await passes(second)]).toEqual([true, false])
  other[Symbol.dispose]()
  expect(await passes(second)).toBe(true)
  expect(limit.waiting).toBe(0)
})

test('work that has time waits so long at most, and then as all others do', async () => {
  const clock = new VirtualClock()
  const limit = new ConcurrencyLimit(1)
  const place = await limit.acquire()
  const patient = limit.acquire(undefined, '', { clock, forMs: 1_000 })
  const late = limit.acquire()
  await clock.advance(1_000)
  const later = limit.acquire()
  place[Symbol.dispose]()
  expect([await passes(late), await passes(patient)]).toEqual([true, false])
  const held = await late
  held[Symbol.dispose]()
  expect([await passes(patient), await passes(later)]).toEqual([true, false])
})

test('work that has time may leave, before and after its time is over', async () => {
  const clock = new VirtualClock()
  const limit = new ConcurrencyLimit(1)
  const place = await limit.acquire()
  for (const afterMs of [10, 1_500]) {
    const abort = new AbortController()
    const waiting = limit.acquire(abort.signal, '', { clock, forMs: 1_000 })
    await clock.advance(afterMs)
    abort.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    expect(limit.waiting).toBe(0)
  }
  place[Symbol.dispose]()
  expect(limit.running).toBe(0)
})

test('a place given back twice counts once', async () => {
  const limit = new ConcurrencyLimit(2)
  const place = await limit.acquire()
  await limit.acquire()
  place[Symbol.dispose]()
  place[Symbol.dispose]()
  expect(limit.running).toBe(1)
})

test('a place goes to who waits, not to who comes in the same turn', async () => {
  const limit = new ConcurrencyLimit(1)
  const place = await limit.acquire()
  const order: string[] = []
  const waiting = limit.acquire().then(() => order.push('waited'))
  place[Symbol.dispose]()
  void limit.acquire().then(() => order.push('came'))
  await waiting
  expect(order).toEqual(['waited'])
  expect([limit.running, limit.waiting]).toEqual([1, 1])
})

test('who got a place has let go of its signal', async () => {
  const limit = new ConcurrencyLimit(1)
  const { signal } = new AbortController()
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  const place = await limit.acquire(signal)
  const second = limit.acquire(signal)
  place[Symbol.dispose]()
  await second
  expect(added).toHaveBeenCalledTimes(1)
  expect(removed).toHaveBeenCalledTimes(1)
})

test('an aborted signal gets no place even when there is one', async () => {
  const limit = new ConcurrencyLimit(1)
  await expect(limit.acquire(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  expect(limit.running).toBe(0)
})

test.each([0, -1, 1.5, Number.NaN])('refuses %d as a limit', (max) => {
  expect(() => new ConcurrencyLimit(max)).toThrow(AssertionError)
})
