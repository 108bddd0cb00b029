import { describe, expect, test } from 'vitest'

import { sleep } from '../../runtime/clock.ts'
import { type Log, silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { ClusterEvent } from './cluster-event.ts'
import { KubeError, type KubeErrorKind } from '../client/errors.ts'
import { EventRecorder, type EventSink } from './event-recorder.ts'

const failure = (kind: KubeErrorKind, cause?: string) =>
  new KubeError(`answer ${kind}`, { kind, causes: cause === undefined ? [] : [{ reason: cause }] })

/** A sink that writes down what it is asked; `answer` may throw instead of writing. */
function open(answer: (call: number, verb: 'create' | 'patch') => void = () => {}) {
  const clock = new VirtualClock()
  const calls: string[] = []
  const names: (string | undefined)[] = []
  const lines: string[] = []
  const log: Log = {
    ...silentLog,
    warn: (_fields, text) => void lines.push(text),
    error: (_fields, text) => void lines.push(text),
  }
  const latency = { ms: 0 }
  const take = async (verb: 'create' | 'patch', words: string) => {
    calls.push(words)
    const call = calls.length
    if (latency.ms > 0) await sleep(clock, latency.ms)
    answer(call, verb)
  }
  const sink: EventSink = {
    create: async (namespace, event) => {
      names.push(event.metadata.name)
      await take('create', `create ${namespace} ${event.message} x${event.count}`)
    },
    patch: async (namespace, name, patch) => {
      names.push(name)
      await take('patch', `patch ${namespace} ${patch.message} x${patch.count}`)
    },
  }
  const random = seededRandom(1)
  const recorder = new EventRecorder({ sink, clock, random, log, component: 'lifeboat', instance: 'lifeboat-0' })
  return { clock, calls, names, lines, latency, recorder }
}

const event = (note: string, uid = 'u1', namespace: string | undefined = 'shop'): ClusterEvent => ({
  about: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-7', uid, ...(namespace === undefined ? {} : { namespace }) },
  },
  type: 'Normal',
  reason: 'Moved',
  note,
})

test('writes in the background, never in the turn of whoever records', async () => {
  const { calls, recorder } = open()
  recorder.record(event('a'))
  expect(calls).toEqual([])
  await recorder.flush()
  expect(calls).toEqual(['create shop a x1'])
})

test('the same again patches the count of the first one', async () => {
  const { calls, names, recorder } = open()
  recorder.record(event('a'))
  await recorder.flush()
  recorder.record(event('a'))
  await recorder.flush()
  recorder.record(event('a'))
  await recorder.flush()
  expect(calls).toEqual(['create shop a x1', 'patch shop a x2', 'patch shop a x3'])
  expect(new Set(names).size).toBe(1)
})

test('what is recorded again while it waits is written once', async () => {
  const { calls, recorder } = open()
  for (let count = 0; count < 5; count++) recorder.record(event('a'))
  await recorder.flush()
  expect(calls).toEqual(['create shop a x5'])
})

test('what is recorded again while it is being written is not lost', async () => {
  const { clock, calls, latency, recorder } = open()
  latency.ms = 100
  recorder.record(event('a'))
  await clock.advance(50)
  recorder.record(event('a'))
  await clock.advance(500)
  expect(calls).toEqual(['create shop a x1', 'patch shop a x2'])
})

test('what is recorded at the very end of a write is not lost', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const { clock, calls, recorder } = open()
    recorder.record(event('a'))
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    recorder.record(event('b'))
    await clock.advance(0)
    expect(calls).toEqual(['create shop a x1', 'create shop b x1'])
  }
})

test('what happens again and again is written twice a minute, with all that it counted', async () => {
  const { clock, calls, recorder } = open()
  recorder.record(event('a'))
  await clock.advance(1)
  for (let count = 0; count < 9; count++) recorder.record(event('a'))
  await clock.advance(29_000)
  expect(calls).toEqual(['create shop a x1'])
  await clock.advance(1_000)
  expect(calls).toEqual(['create shop a x1', 'patch shop a x10'])
  recorder.record(event('a'))
  await recorder.close()
  expect(calls).toEqual(['create shop a x1', 'patch shop a x10', 'patch shop a x11'])
  await clock.advance(60_000)
  expect([calls.length, recorder.dropped]).toEqual([3, 0])
})

test('events about things without a namespace go to default', async () => {
  const { calls, recorder } = open()
  recorder.record({ ...event('a'), about: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'n' } } })
  await recorder.flush()
  expect(calls).toEqual(['create default a x1'])
})

test('more than ten different messages end up in one', async () => {
  const { calls, recorder } = open()
  for (let index = 0; index < 13; index++) recorder.record(event(`m${index}`))
  await recorder.flush()
  expect(calls).toHaveLength(11)
  expect(calls.at(-1)).toBe('create shop (combined from similar events): m12 x3')
})

test('too much about one object is dropped and counted, and shows in the count later', async () => {
  const { clock, calls, recorder } = open()
  for (let count = 0; count < 30; count++) {
    recorder.record(event('a'))
    await recorder.flush()
  }
  expect(calls).toHaveLength(25)
  expect(recorder.dropped).toBe(5)
  await clock.advance(300_000)
  recorder.record(event('a'))
  await recorder.flush()
  expect(calls.at(-1)).toBe('patch shop a x31')
})

test('what waits is bounded; the oldest is dropped', async () => {
  const { clock, calls, latency, recorder } = open()
  latency.ms = 1
  recorder.record(event('first'))
  await clock.advance(0.5)
  for (let index = 0; index < 1_003; index++) recorder.record(event('a', `v${index}`))
  expect(recorder.dropped).toBe(3)
  await clock.advance(2_000)
  expect(calls).toHaveLength(1_001)
})

describe('answers', () => {
  test('an Event that expired is created anew, with its count', async () => {
    const { calls, recorder, lines } = open((_call, verb) => {
      if (verb === 'patch') throw failure('notFound')
    })
    recorder.record(event('a'))
    await recorder.flush()
    recorder.record(event('a'))
    await recorder.flush()
    expect(calls).toEqual(['create shop a x1', 'patch shop a x2', 'create shop a x2'])
    expect([recorder.dropped, lines]).toEqual([0, []])
  })

  test.each([
    { name: 'a namespace that goes away', error: failure('forbidden', 'NamespaceTerminating') },
    { name: 'a namespace that is gone', error: failure('notFound') },
  ])('$name is no news', async ({ error }) => {
    const { calls, recorder, lines } = open(() => {
      throw error
    })
    recorder.record(event('a'))
    await recorder.flush()
    expect(calls).toHaveLength(1)
    expect([recorder.dropped, lines]).toEqual([1, []])
  })

  test('a refusal is logged once and not repeated', async () => {
    const { calls, recorder, lines } = open(() => {
      throw failure('forbidden')
    })
    recorder.record(event('a'))
    await recorder.flush()
    expect(calls).toHaveLength(1)
    expect([recorder.dropped, lines]).toEqual([1, ['event not written']])
  })

  test('a create whose reply was lost is not repeated but brought up to date', async () => {
    const { clock, calls, recorder } = open((call) => {
      if (call === 1) throw failure('unreachable')
      if (call === 2) throw failure('alreadyExists')
    })
    recorder.record(event('a'))
    await clock.advance(5_000)
    expect(calls).toEqual(['create shop a x1', 'create shop a x1', 'patch shop a x1'])
  })

  test('an outage is waited out, with growing pauses and without losing what came', async () => {
    const { clock, calls, recorder, lines } = open((call) => {
      if (call <= 3) throw failure('unreachable')
    })
    recorder.record(event('a'))
    recorder.record(event('b', 'u2'))
    await clock.advance(500)
    expect(calls).toHaveLength(1)
    await clock.advance(10_000)
    expect(calls.slice(3).toSorted()).toEqual(['create shop a x1', 'create shop b x1'])
    expect([recorder.dropped, lines]).toEqual([0, []])
  })

  test('one that never gets through is given up after five attempts, with one line', async () => {
    const { clock, calls, recorder, lines } = open(() => {
      throw failure('serverError')
    })
    recorder.record(event('a'))
    await clock.advance(600_000)
    expect(calls).toHaveLength(5)
    expect([recorder.dropped, lines]).toEqual([1, ['event not written']])
    expect(clock.pendingTimers).toBe(0)
  })

  test('two servers that disagree for ever do not make it loop', async () => {
    const { clock, calls, recorder } = open((_call, verb) => {
      throw failure(verb === 'create' ? 'alreadyExists' : 'notFound')
    })
    recorder.record(event('a'))
    await clock.advance(600_000)
    expect(calls).toHaveLength(5)
  })
})

test('recording never throws, whatever it is given', async () => {
  const { recorder, lines } = open()
  expect(() => recorder.record({ ...event('a'), about: undefined as unknown as ClusterEvent['about'] })).not.toThrow()
  expect(lines).toEqual(['cannot record an event'])
  expect(recorder.dropped).toBe(1)
})

test('a sink that throws outside its promise disturbs nobody', async () => {
  const { clock, recorder } = open()
  const sink: EventSink = {
    create: () => {
      throw failure('invalid')
    },
    patch: async () => {},
  }
  const broken = new EventRecorder({
    sink,
    clock,
    random: seededRandom(1),
    log: silentLog,
    component: 'c',
    instance: 'i',
  })
  broken.record(event('a'))
  await broken.flush()
  expect([broken.dropped, recorder.dropped]).toEqual([1, 0])
})

test('a flush ends when its signal does, without an error', async () => {
  const { clock, latency, recorder } = open()
  latency.ms = 1_000
  recorder.record(event('a'))
  await clock.advance(1)
  await recorder.flush(AbortSignal.timeout(1))
  await recorder.flush(AbortSignal.abort())
})

test('a flush with nothing to write is over at once', async () => {
  await expect(open().recorder.flush()).resolves.toBeUndefined()
})

test('closed, it gives up what is left, and keeps no timer', async () => {
  const { clock, calls, recorder } = open(() => {
    throw failure('unreachable')
  })
  for (const uid of ['u1', 'u2', 'u3']) recorder.record(event('a', uid))
  await clock.advance(1)
  const noTime = new AbortController()
  const closing = recorder.close(noTime.signal)
  noTime.abort()
  await closing
  await clock.advance(0)
  expect(clock.pendingTimers).toBe(0)
  expect(calls).toHaveLength(1)
  recorder.record(event('b'))
  await clock.advance(60_000)
  expect(calls).toHaveLength(1)
  expect(recorder.dropped).toBe(4)
})
