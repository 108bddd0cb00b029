import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { WatchSink } from '../../server/request.ts'
import { streamWatch } from './watch-stream.ts'

/** A connection whose reader takes a chunk whenever it is told to. */
class Reader extends Writable {
  readonly lines: string[] = []
  #taken: (() => void) | undefined
  reads = true

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.lines.push(chunk.toString('utf8'))
    if (this.reads) callback()
    else this.#taken = callback
  }

  readOn(): void {
    this.reads = true
    this.#taken?.()
  }
}

function opened(limits = { waitingEventsMax: 5, waitingBytesMax: 1_000_000 }, initial = 0) {
  const reader = new Reader({ highWaterMark: 10 })
  const watch: { sink: WatchSink | undefined; isDisposed: boolean } = { sink: undefined, isDisposed: false }
  const tell = (count: number) => {
    for (let at = 0; at < count; at++) watch.sink?.event({ type: 'ADDED', object: { at } })
  }
  reader.reads = initial === 0
  const open = (sink: WatchSink) => {
    watch.sink = sink
    tell(initial)
    return { [Symbol.dispose]: () => void (watch.isDisposed = true) }
  }
  streamWatch(reader, open, limits)
  return { reader, watch, tell }
}

test('one JSON document a line, until the watch closes', async () => {
  const { reader, watch, tell } = opened()
  tell(2)
  watch.sink?.close()
  await setImmediate()
  expect(reader.lines).toEqual(['{"type":"ADDED","object":{"at":0}}\n', '{"type":"ADDED","object":{"at":1}}\n'])
  expect(reader.writableFinished).toBe(true)
})

test('a reader who goes away ends the watch', async () => {
  const { reader, watch } = opened()
  reader.destroy()
  await setImmediate()
  expect(watch.isDisposed).toBe(true)
})

test('a reader who reads is never cut off', async () => {
  const { reader, watch, tell } = opened()
  for (let round = 0; round < 20; round++) {
    tell(4)
    await setImmediate()
  }
  expect(reader.destroyed).toBe(false)
  expect(watch.isDisposed).toBe(false)
  expect(reader.lines).toHaveLength(80)
})

test.each([
  { name: 'by events', limits: { waitingEventsMax: 5, waitingBytesMax: 1_000_000 } },
  { name: 'by bytes', limits: { waitingEventsMax: 1_000, waitingBytesMax: 150 } },
])('a reader who does not read is cut off $name, and the watch ends', async ({ limits }) => {
  const { reader, watch, tell } = opened(limits)
  reader.reads = false
  tell(7)
  await setImmediate()
  expect(reader.destroyed).toBe(true)
  expect(watch.isDisposed).toBe(true)
})

test('what there was to begin with does not count, however much it is', async () => {
  const { reader, tell } = opened({ waitingEventsMax: 5, waitingBytesMax: 200 }, 100)
  tell(3)
  expect(reader.destroyed).toBe(false)
  reader.readOn()
  await setImmediate()
  expect(reader.lines).toHaveLength(103)
})
