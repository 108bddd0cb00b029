import { expect, test } from 'vitest'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { waitUntil } from './wait-until.ts'

function waiting(timeoutMs: number) {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const handlers = new Set<() => void>()
  const state: { answer?: string } = {}
  const subscribe = (notice: () => void) => {
    handlers.add(notice)
    return { [Symbol.dispose]: () => void handlers.delete(notice) }
  }
  const begin = () => waitUntil({ look: () => state.answer, subscribe, clock, timeoutMs, signal: stop.signal })
  const tell = (answer: string) => {
    state.answer = answer
    for (const handler of handlers) handler()
  }
  return { clock, stop, handlers, state, begin, tell }
}

test('an answer that is there is the answer', async () => {
  const { state, begin, handlers } = waiting(0)
  state.answer = 'done'
  expect(await begin()).toBe('done')
  expect(handlers.size).toBe(0)
})

test('one that comes later is waited for', async () => {
  const { begin, tell } = waiting(0)
  const end = begin()
  tell('done')
  expect(await end).toBe('done')
})

test('the time may be up before, unless it is without end', async () => {
  const short = waiting(1_000)
  const end = short.begin()
  await short.clock.advance(1_000)
  expect(await end).toBe('timeout')
  const long = waiting(0)
  const later = long.begin()
  await long.clock.advance(100_000_000)
  long.tell('done')
  expect(await later).toBe('done')
})

test('Ctrl-C ends it, also before it began', async () => {
  const { begin, stop } = waiting(0)
  const end = begin()
  stop.abort()
  expect(await end).toBe('interrupted')
  expect(await begin()).toBe('interrupted')
})
