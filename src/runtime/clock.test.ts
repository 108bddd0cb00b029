import { expect, test, vi } from 'vitest'

import { sleep } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'

test('sleeps for the delay, not less', async () => {
  const clock = new VirtualClock()
  const woke = vi.fn<() => void>()
  void sleep(clock, 1_000).then(woke)
  await clock.advance(999)
  expect(woke).not.toHaveBeenCalled()
  await clock.advance(1)
  expect(woke).toHaveBeenCalledOnce()
})

test('an abort wakes it with the reason and leaves no timer behind', async () => {
  const clock = new VirtualClock()
  const abort = new AbortController()
  const slept = sleep(clock, 1_000, abort.signal)
  const reason = new Error('enough')
  abort.abort(reason)
  await expect(slept).rejects.toBe(reason)
  expect(clock.pendingTimers).toBe(0)
})

test('a signal that is aborted already sets no timer', async () => {
  const clock = new VirtualClock()
  await expect(sleep(clock, 1_000, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  expect(clock.pendingTimers).toBe(0)
})

test('a sleep that is over has let go of its signal', async () => {
  const clock = new VirtualClock()
  const { signal } = new AbortController()
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  const slept = sleep(clock, 10, signal)
  await clock.advance(10)
  await slept
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener))
})
