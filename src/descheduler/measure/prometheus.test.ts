import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { serveOnLoopback } from '../../../test/build/loopback-server.ts'
import { HttpProblem, undiciGet, type HttpAnswer, type HttpGet, type HttpGetRequest } from './http-get.ts'
import { prometheusOf, type PrometheusAnswer } from './prometheus.ts'

const never = new AbortController().signal
const vector = JSON.stringify({
  status: 'success',
  data: { resultType: 'vector', result: [{ metric: { instance: 'n1' }, value: [1, '0.25'] }] },
})
const ok: HttpAnswer = { status: 200, location: undefined, text: vector }

/** Prometheus behind a fake of HTTP. */
function ground(answer: (request: HttpGetRequest) => HttpAnswer | Promise<HttpAnswer>, url = 'http://prometheus:9090') {
  const clock = new VirtualClock()
  const requests: HttpGetRequest[] = []
  const tokens = ['first', 'second']
  const get: HttpGet = async (request) => {
    requests.push(request)
    return await answer(request)
  }
  const files = { readText: async () => tokens.shift() ?? '' }
  const kube = buildKube(new FakeApi(), clock)
  return { clock, requests, prometheus: prometheusOf({ url, authToken: undefined }, { get, clock, files, kube }) }
}

const wordsOf = (answer: PrometheusAnswer | undefined) => (answer instanceof Error ? answer.message : answer)

describe('the request', () => {
  test.each([
    { name: 'goes below the root', url: 'http://p:9090', expected: 'http://p:9090/api/v1/query?query=up' },
    { name: 'goes below a path', url: 'https://p/monitor', expected: 'https://p/monitor/api/v1/query?query=up' },
    { name: 'takes no second slash', url: 'https://p/monitor/', expected: 'https://p/monitor/api/v1/query?query=up' },
    { name: 'keeps the query of the URL', url: 'https://p?org=1', expected: 'https://p/api/v1/query?org=1&query=up' },
  ])('$name', async ({ url, expected }) => {
    const { prometheus, requests } = ground(() => ok, url)
    await prometheus.ask(['up'], never)
    expect(requests.map((request) => request.url.href)).toEqual([expected])
  })

  test('escapes the query', async () => {
    const { prometheus, requests } = ground(() => ok)
    const query = '1 - avg by (instance) (rate(x{mode="idle"}[1m])) + 0 & #'
    await prometheus.ask([query], never)
    expect(requests[0]?.url.searchParams.get('query')).toBe(query)
    expect(requests[0]?.url.hash).toBe('')
  })

  test('is not sent if there is no query', async () => {
    const { prometheus, requests } = ground(() => ok)
    expect((await prometheus.ask([], never)).size).toBe(0)
    expect(requests).toEqual([])
  })

  test('has the token as it is in this cycle, the same for all queries', async () => {
    const { prometheus, requests } = ground(() => ok)
    await prometheus.ask(['a', 'b'], never)
    await prometheus.ask(['a'], never)
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ])
  })
})

describe('the answers', () => {
  test('are by query; one that fails does not spoil the others', async () => {
    const { prometheus } = ground(({ url }) =>
      url.searchParams.get('query') === 'good' ? ok : { status: 500, location: undefined, text: 'oh' },
    )
    const answers = await prometheus.ask(['bad', 'good'], never)
    expect(answers.get('good')).toEqual(new Map([['n1', 0.25]]))
    expect(wordsOf(answers.get('bad'))).toBe('http://prometheus:9090: the answer is 500: oh')
  })

  test('are problems if there is no token', async () => {
    const { prometheus, requests } = ground(() => ok)
    await prometheus.ask(['a'], never)
    await prometheus.ask(['a'], never)
    const answers = await prometheus.ask(['a', 'b'], never)
    for (const query of ['a', 'b']) expect(wordsOf(answers.get(query))).toMatch(/^http.*token file .* is empty$/u)
    expect(requests).toHaveLength(2)
  })

  test('do not tell a password that is in the URL', async () => {
    const { prometheus } = ground(() => Promise.reject(new HttpProblem('broken')), 'http://me:secret@p/x')
    expect(wordsOf((await prometheus.ask(['a'], never)).get('a'))).toBe('http://p/x: broken')
  })

  test('leave no timer behind', async () => {
    const { prometheus, clock } = ground(() => ok)
    await prometheus.ask(['a'], never)
    expect(clock.pendingTimers).toBe(0)
  })

  test('are not waited for beyond the signal', async () => {
    const stop = new AbortController()
    const { prometheus } = ground(({ signal }) => {
      stop.abort(new Error('enough'))
      throw signal.reason
    })
    await expect(prometheus.ask(['a'], stop.signal)).rejects.toThrow('enough')
  })

  test('are thrown if the program is wrong', async () => {
    const { prometheus } = ground(() => Promise.reject(new TypeError('a mistake')))
    await expect(prometheus.ask(['a'], never)).rejects.toThrow('a mistake')
  })
})

describe('a real server', () => {
  async function serve(listener: RequestListener) {
    const server = await serveOnLoopback(listener)
    const clock = new VirtualClock()
    const files = { readText: async () => 'secret' }
    const get = undiciGet({ files, certificateAuthorityPath: '/ca.crt' })
    const kube = buildKube(new FakeApi(), clock)
    const prometheus = prometheusOf({ url: server.url, authToken: undefined }, { get, clock, files, kube })
    const ask = async () => (await prometheus.ask(['a b'], never)).get('a b')
    return { server, clock, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  test('gets the query and the token', async () => {
    await using real = await serve((_, response) => response.end(vector))
    expect(await real.ask()).toEqual(new Map([['n1', 0.25]]))
    const [request] = real.server.requests
    expect(request?.url).toBe('/api/v1/query?query=a+b')
    expect(request?.headers.authorization).toBe('Bearer secret')
  })

  test('cannot send the token elsewhere', async () => {
    await using other = await serveOnLoopback((_, response) => response.end(vector))
    await using real = await serve((_, response) => response.writeHead(307, { location: `${other.url}/x` }).end())
    expect(wordsOf(await real.ask())).toContain(`the answer is 307 and points to ${other.url}/x`)
    expect(other.requests).toEqual([])
  })

  test.each([
    { name: 'before it answers', begins: false },
    { name: 'in the middle of its answer', begins: true },
  ])('is cut off after ten seconds, $name', async ({ begins }) => {
    const arrived = Promise.withResolvers<void>()
    await using real = await serve((_, response) => {
      if (begins) response.write(vector.slice(0, 10))
      arrived.resolve()
    })
    let answered = false
    const answer = real.ask().finally(() => void (answered = true))
    await arrived.promise
    await real.clock.advance(9_999)
    expect(answered).toBe(false)
    await real.clock.advance(1)
    expect(wordsOf(await answer)).toBe(`${real.server.url}: there was no answer within 10 s`)
  })

  test('is cut off after ten megabytes', async () => {
    await using real = await serve((_, response) => response.end('x'.repeat(10_000_001)))
    expect(wordsOf(await real.ask())).toBe(`${real.server.url}: the answer is larger than 10000000 bytes`)
  })
})
