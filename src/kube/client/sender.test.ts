import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { sleep } from '../../runtime/clock.ts'
import { ConcurrencyLimit } from '../../runtime/concurrency-limit.ts'
import { seededRandom } from '../../runtime/random.ts'
import { TokenBucket } from '../../runtime/token-bucket.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { noKubeMetrics, type KubeMetrics } from '../metrics.ts'
import { Sender } from './sender.ts'
import { TransportError } from './transport.ts'

const label = { verb: 'get', resource: 'pods' }
const read = { method: 'GET', path: '/api/v1/namespaces/shop/pods/cart' } as const
const repeat = { repeat: true }

function setUp(
  options: { metrics?: KubeMetrics; concurrent?: number; keepsRoom?: boolean; ratePerSecond?: number } = {},
) {
  const clock = new VirtualClock()
  const api = new FakeApi()
  api.put(read.path, { metadata: { namespace: 'shop', name: 'cart' } })
  const sender = new Sender({
    transport: api,
    clock,
    random: seededRandom(1),
    concurrency: new ConcurrencyLimit(options.concurrent ?? 10, { keepsRoom: options.keepsRoom ?? false }),
    rate: new TokenBucket({
      clock,
      ratePerSecond: options.ratePerSecond ?? 1_000,
      burst: options.ratePerSecond ?? 1_000,
    }),
    metrics: options.metrics ?? noKubeMetrics,
  })
  return { clock, api, sender }
}

/** Fails the first `times` requests. */
const failing = (times: number, answer: ReturnType<typeof failure> | Error) => {
  let left = times
  return () => (left-- > 0 ? answer : undefined)
}

describe('a sender', () => {
  test('keeps room for other namespaces where the requests of one are slow', async () => {
    const { clock, api, sender } = setUp({ concurrent: 4, keepsRoom: true })
    const slow = { method: 'GET', path: '/api/v1/namespaces/slow/pods/cart' } as const
    const request = api.request.bind(api)
    api.request = async (each) => {
      if (each.path === slow.path) await sleep(clock, 60_000)
      return await request(each)
    }
    const held = Array.from({ length: 10 }, () => sender.send(slow, label, repeat).catch(() => undefined))
    const answer = sender.send(read, label, repeat)
    await clock.advance(10)
    expect(await answer).toMatchObject({ metadata: { name: 'cart' } })
    await clock.advance(600_000)
    await Promise.all(held)
  })

  test('gives the answer of the try that succeeds', async () => {
    const { clock, api, sender } = setUp()
    api.fault = failing(3, new TransportError('connect ECONNREFUSED', { sent: 'no' }))
    const answer = sender.send(read, label, repeat)
    await clock.advance(5_000)
    expect(await answer).toMatchObject({ metadata: { name: 'cart' } })
    expect(api.requests).toHaveLength(4)
  })

  test('waits as long as the server asks', async () => {
    const { clock, api, sender } = setUp()
    api.fault = failing(1, failure(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 4 }))
    const answer = sender.send(read, label, repeat)
    await clock.advance(3_999)
    expect(api.requests).toHaveLength(1)
    await clock.advance(1)
    await answer
    expect(api.requests).toHaveLength(2)
  })

  test('gives up after six tries with the last error, naming what was asked', async () => {
    const { clock, api, sender } = setUp()
    api.fault = () => new TransportError('connect ECONNREFUSED', { sent: 'no' })
    await Promise.all([
      expect(sender.send(read, label, repeat)).rejects.toThrow(`GET ${read.path}: connect ECONNREFUSED`),
      clock.advance(60_000),
    ])
    expect(api.requests).toHaveLength(6)
  })

  test('tries once where told not to repeat', async () => {
    const { api, sender } = setUp()
    api.fault = () => failure(429, 'TooManyRequests', 'busy')
    await expect(sender.send(read, label, { repeat: false })).rejects.toMatchObject({ kind: 'tooManyRequests' })
    expect(api.requests).toHaveLength(1)
  })

  test('stops waiting for its next try when cancelled', async () => {
    const { clock, api, sender } = setUp()
    api.fault = () => new TransportError('down', { sent: 'no' })
    const stop = new AbortController()
    const answer = sender.send({ ...read, signal: stop.signal }, label, repeat)
    await Promise.all([
      expect(answer).rejects.toThrow('enough'),
      clock.advance(50).then(() => stop.abort(new Error('enough'))),
    ])
    expect(clock.pendingTimers).toBe(0)
  })

  test('has no more requests under way than allowed', async () => {
    const { api, sender } = setUp({ concurrent: 3 })
    let underWay = 0
    let most = 0
    const request = api.request.bind(api)
    api.request = async (sent) => {
      most = Math.max(most, ++underWay)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      underWay--
      return request(sent)
    }
    await Promise.all(Array.from({ length: 20 }, () => sender.send(read, label, repeat)))
    expect(most).toBe(3)
  })

  test('keeps to the rate', async () => {
    const { clock, api, sender } = setUp({ ratePerSecond: 5 })
    const answers = Promise.all(Array.from({ length: 20 }, () => sender.send(read, label, repeat)))
    await clock.advance(1_000)
    expect(api.requests).toHaveLength(10)
    await clock.advance(2_000)
    expect(api.requests).toHaveLength(20)
    await answers
  })

  test('counts every try by its status, 0 where there was no answer', async () => {
    const counted: string[] = []
    const metrics = {
      ...noKubeMetrics,
      answered: ({ verb, resource }: typeof label, code: number) => counted.push(`${verb} ${resource} ${code}`),
    }
    const { clock, api, sender } = setUp({ metrics })
    api.fault = failing(1, new TransportError('down', { sent: 'no' }))
    const answer = sender.send(read, label, repeat)
    await clock.advance(5_000)
    await answer
    expect(counted).toEqual(['get pods 0', 'get pods 200'])
  })
})
