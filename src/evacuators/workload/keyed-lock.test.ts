import { sleep } from '../../runtime/clock.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { expect, test } from 'vitest'
import { KeyedLock } from './keyed-lock.ts'

const { signal } = new AbortController()

test('what has one key runs one after the other, in the order in which it came', async () => {
  const lock = new KeyedLock()
  const told: string[] = []
  const gates = new Map(['a', 'b'].map((name) => [name, Promise.withResolvers<void>()]))
  const run = (name: string) =>
    lock.run('web', signal, async () => {
      told.push(`${name} begins`)
      await gates.get(name)?.promise
      told.push(`${name} ends`)
      return name
    })
  const both = Promise.all([run('a'), run('b')])
  await lock.run('api', signal, async () => void told.push('another key'))
  gates.get('b')?.resolve()
  gates.get('a')?.resolve()
  expect(await both).toEqual(['a', 'b'])
  expect(told).toEqual(['a begins', 'another key', 'a ends', 'b begins', 'b ends'])
  await Promise.resolve()
  expect(lock.size).toBe(0)
})

test('a failure lets the next one begin', async () => {
  const lock = new KeyedLock()
  const failing = lock.run('web', signal, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await lock.run('web', signal, async () => 1)).toBe(1)
})

test('one that gives up waiting does not let the next one pass', async () => {
  const lock = new KeyedLock()
  const gate = Promise.withResolvers<void>()
  const stop = new AbortController()
  const told: string[] = []
  const first = lock.run('web', signal, () => gate.promise)
  const second = lock.run('web', stop.signal, async () => void told.push('second'))
  const third = lock.run('web', signal, async () => void told.push('third'))
  stop.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  expect(told).toEqual([])
  gate.resolve()
  await Promise.all([first, third])
  expect(told).toEqual(['third'])
})

test('what takes long is alone for its time only, and its result comes all the same', async () => {
  const clock = new VirtualClock()
  const lock = new KeyedLock()
  const said: string[] = []
  const work = (name: string, takesMs: number) =>
    lock.runFor({ clock, ms: 150 }, 'web', new AbortController().signal, async () => {
      said.push(`${name} begins at ${clock.monotonicMs()}`)
      await sleep(clock, takesMs)
      if (name === 'c') throw new Error('c failed')
      return `${name} is done at ${clock.monotonicMs()}`
    })
  const all = Promise.allSettled([work('a', 500), work('b', 20), work('c', 20), work('d', 20)])
  await clock.advance(1_000)
  expect(said).toEqual(['a begins at 0', 'b begins at 150', 'c begins at 170', 'd begins at 190'])
  expect(await all).toMatchObject([
    { value: 'a is done at 500' },
    { value: 'b is done at 170' },
    { reason: { message: 'c failed' } },
    { value: 'd is done at 210' },
  ])
  expect(lock.size).toBe(0)
})
