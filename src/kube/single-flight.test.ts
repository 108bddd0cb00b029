import { expect, test, vi } from 'vitest'

import { SingleFlight, unlessAborted } from './single-flight.ts'

test('who comes while it runs shares the outcome; who comes later starts anew', async () => {
  const flight = new SingleFlight<number>()
  const work = vi.fn<() => Promise<number>>().mockResolvedValueOnce(1).mockResolvedValueOnce(2)
  expect(await Promise.all([flight.run(work), flight.run(work), flight.run(work)])).toEqual([1, 1, 1])
  expect(await flight.run(work)).toBe(2)
  expect(work).toHaveBeenCalledTimes(2)
})

test('a failure is shared too, and forgotten', async () => {
  const flight = new SingleFlight<number>()
  const work = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('no')).mockResolvedValueOnce(2)
  const both = await Promise.allSettled([flight.run(work), flight.run(work)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await flight.run(work)).toBe(2)
})

test('a caller that gives up leaves alone', async () => {
  const flight = new SingleFlight<string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  const abort = new AbortController()
  const impatient = flight.run(() => promise, abort.signal)
  const patient = flight.run(() => promise)
  abort.abort(new Error('enough'))
  await expect(impatient).rejects.toThrow('enough')
  resolve('done')
  expect(await patient).toBe('done')
})

test('work that fails after everybody left disturbs nobody', async () => {
  const flight = new SingleFlight<string>()
  const { promise, reject } = Promise.withResolvers<string>()
  const abort = new AbortController()
  const only = flight.run(() => promise, abort.signal)
  abort.abort(new Error('enough'))
  await expect(only).rejects.toThrow('enough')
  reject(new Error('nobody listens'))
  // An unhandled rejection would fail the run of the tests.
  await new Promise((resolve) => setImmediate(resolve))
})

test('an aborted signal starts nothing', async () => {
  const work = vi.fn<() => Promise<number>>()
  await expect(new SingleFlight<number>().run(work, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  expect(work).not.toHaveBeenCalled()
})

test('a wait that is over has let go of its signal', async () => {
  const { signal } = new AbortController()
  const removed = vi.spyOn(signal, 'removeEventListener')
  await unlessAborted(Promise.resolve(1), signal)
  expect(removed).toHaveBeenCalledOnce()
})
