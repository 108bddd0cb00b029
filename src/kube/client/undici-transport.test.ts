import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openSilentProxy } from '../../../test/build/silent-proxy.ts'
import { createAuthority } from '../../runtime/certificates.ts'
import { staticCredentials, type Credential, type Credentials } from '../auth/credentials.ts'
import { TransportError, type RawWatchEvent } from './transport.ts'
import { UndiciTransport } from './undici-transport.ts'

/** A server on loopback that answers as told, and counts its connections. */
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

async function serve(listener: Listener, credentials: Credentials = staticCredentials({ token: 'secret' })) {
  let connections = 0
  const server = createServer((request, response) => void listener(request, response)).on(
    'connection',
    () => connections++,
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const transport = new UndiciTransport({
    server: `http://127.0.0.1:${port}/below`,
    tls: { insecureSkipVerify: false },
    credentials,
    userAgent: 'lifeboat/test',
  })
  return {
    transport,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await transport.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const get = { method: 'GET', path: '/api/v1/nodes' } as const

/** Answers the request that is the last of so many. */
async function until(holding: readonly ServerResponse[], count: number): Promise<void> {
  await expect.poll(() => holding.length).toBe(count)
  const last = holding.at(-1)
  if (last !== undefined) json(last, {})
}

describe('a request', () => {
  test('carries path, query, credentials, body and headers, and brings back the parsed answer', async () => {
    await using server = await serve(async (request, response) => {
      const { method, url, headers } = request
      json(response, { method, url, headers, body: await bodyOf(request) })
    })
    const { status, body } = await server.transport.request({
      method: 'PATCH',
      path: '/api/v1/nodes/one',
      query: { fieldSelector: 'a=b,c!=d' },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { unschedulable: true } },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      method: 'PATCH',
      url: '/below/api/v1/nodes/one?fieldSelector=a%3Db%2Cc%21%3Dd',
      headers: {
        authorization: 'Bearer secret',
        'content-type': 'application/merge-patch+json',
        'user-agent': 'lifeboat/test',
      },
      body: '{"spec":{"unschedulable":true}}',
    })
  })

  test('an answer that is not JSON comes as text', async () => {
    await using server = await serve((_, response) => response.end('ok'))
    expect((await server.transport.request(get)).body).toBe('ok')
  })

  test('a hundred at once share at most 64 connections', async () => {
    await using server = await serve((_, response) => json(response, {}))
    await Promise.all(Array.from({ length: 100 }, () => server.transport.request(get)))
    await Promise.all(Array.from({ length: 100 }, () => server.transport.request(get)))
    expect(server.connections()).toBeLessThanOrEqual(64)
  })

  test('a 401 is tried once more with a fresh token, and only once', async () => {
    const tokens = ['stale', 'fresh']
    let current: Credential = { token: tokens[0] ?? '' }
    const credentials: Credentials = {
      current: async () => current,
      invalidate: () => void (current = { token: 'fresh' }),
    }
    const seen: (string | undefined)[] = []
    await using server = await serve((request, response) => {
      seen.push(request.headers.authorization)
      json(response, {}, request.headers.authorization === 'Bearer fresh' ? 200 : 401)
    }, credentials)
    expect((await server.transport.request(get)).status).toBe(200)
    expect(seen).toEqual(['Bearer stale', 'Bearer fresh'])
  })

  test('a 401 that stays comes back as it is', async () => {
    await using server = await serve((_, response) => json(response, {}, 401))
    expect((await server.transport.request(get)).status).toBe(401)
  })

  test('a refused connection was surely not sent', async () => {
    const server = await serve(() => {})
    await server[Symbol.asyncDispose]()
    const transport = new UndiciTransport({
      server: 'http://127.0.0.1:1',
      tls: { insecureSkipVerify: false },
      credentials: staticCredentials({}),
      userAgent: 'x',
    })
    await expect(transport.request(get)).rejects.toMatchObject({ name: 'TransportError', sent: 'no' })
    await transport.close()
  })

  test('a connection that breaks after the request may have been carried out', async () => {
    await using server = await serve((request) => request.socket.destroy())
    await expect(server.transport.request(get)).rejects.toMatchObject({ name: 'TransportError', sent: 'maybe' })
  })

  test('an answer that breaks off is an error, not half an object', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"items":[')
      response.socket?.end()
    })
    await expect(server.transport.request(get)).rejects.toThrow(TransportError)
  })

  test('is cancelled by its signal, with the reason of the signal', async () => {
    await using server = await serve(() => {})
    const stop = new AbortController()
    const answer = server.transport.request({ ...get, signal: stop.signal })
    stop.abort(new Error('changed my mind'))
    await expect(answer).rejects.toThrow('changed my mind')
  })

  test('is kept back by what beforeSending throws', async () => {
    let requests = 0
    await using server = await serve((_, response) => json(response, { requests: ++requests }))
    const beforeSending = () => {
      throw new Error('too late')
    }
    await expect(server.transport.request({ ...get, beforeSending })).rejects.toThrow('too late')
    expect(requests).toBe(0)
  })

  test('is kept back if its time is over when a connection is free at last', async () => {
    const holding: ServerResponse[] = []
    const written: string[] = []
    await using server = await serve((request, response) => {
      written.push(String(request.url))
      holding.push(response)
    })
    const before = Array.from({ length: 64 }, () => server.transport.request(get))
    await expect.poll(() => holding.length).toBe(64)
    let isOver = false
    const beforeSending = () => {
      if (isOver) throw new Error('too late')
    }
    const late = server.transport.request({ method: 'DELETE', path: '/api/v1/pods/one', beforeSending })
    late.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    isOver = true
    for (const response of holding) json(response, {})
    await Promise.all(before)
    await expect(late).rejects.toThrow('too late')
    expect(written.filter((url) => url.includes('pods'))).toEqual([])
    expect((await Promise.all([server.transport.request(get), until(holding, 65)]))[0].status).toBe(200)
  })

  test('after close there is nothing to send on', async () => {
    await using server = await serve((_, response) => json(response, {}))
    await server.transport.close()
    await expect(server.transport.request(get)).rejects.toMatchObject({ sent: 'no' })
  })
})

/** Over HTTP/2, by a proxy that can fall silent. */
async function serveThroughProxy(answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void) {
  await using opening = new AsyncDisposableStack()
  const authority = createAuthority('test', Date.now())
  const { certificate, key } = authority.issue({ commonName: 'server', usage: 'server', addresses: ['127.0.0.1'] })
  const server = createSecureServer({ cert: certificate, key }, answer)
  opening.defer(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = opening.use(await openSilentProxy((server.address() as AddressInfo).port))
  const transport = new UndiciTransport({
    server: `https://127.0.0.1:${proxy.port}`,
    tls: { insecureSkipVerify: false, certificateAuthority: authority.certificate },
    credentials: staticCredentials({ token: 'secret' }),
    userAgent: 'lifeboat/test',
    watchSilenceMaxMs: 1_000,
  })
  opening.defer(() => transport.close())
  const opened = opening.move()
  return { proxy, transport, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

describe('a watch', () => {
  const watch = { ...get, query: { watch: 'true' } }

  test('streams events as they come, and its connection ends with the reading', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serve((_, response) => {
      response.on('close', () => closed.resolve())
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"type":"ADDED","object":1}\n{"type":"MODI')
      response.write('FIED","object":2}\n')
    })
    const answer = await server.transport.watch(watch)
    const events: RawWatchEvent[] = []
    if (answer.kind === 'stream') {
      for await (const event of answer.events) {
        events.push(event)
        if (events.length === 2) break
      }
    }
    expect(events).toEqual([
      { type: 'ADDED', object: 1 },
      { type: 'MODIFIED', object: 2 },
    ])
    await closed.promise
  })

  test('that is refused brings the answer', async () => {
    await using server = await serve((_, response) => json(response, { reason: 'Expired' }, 410))
    expect(await server.transport.watch(watch)).toMatchObject({
      kind: 'refused',
      status: 410,
      body: { reason: 'Expired' },
    })
  })

  test('that breaks is an error', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":1}\n', () => response.socket?.destroySoon())
    })
    const answer = await server.transport.watch(watch)
    const read = async () => {
      if (answer.kind === 'stream') for await (const event of answer.events) expect(event.type).toBe('ADDED')
    }
    await expect(read()).rejects.toThrow(TransportError)
  })

  test('over HTTP/2 that brings nothing for too long gets a new connection, and so do the others on the dead one', async () => {
    await using served = await serveThroughProxy((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"type":"ADDED","object":1}\n')
    })
    const { proxy, transport } = served
    const open = async () => {
      const answer = await transport.watch(watch)
      if (answer.kind !== 'stream') throw new Error('refused')
      const events = answer.events[Symbol.asyncIterator]()
      expect((await events.next()).value).toEqual({ type: 'ADDED', object: 1 })
      return events
    }
    const watches = [await open(), await open()]
    expect(proxy.connections()).toBe(1)
    proxy.fallSilent()
    for (const events of watches) await expect(events.next()).rejects.toThrow(TransportError)
    await open()
    expect(proxy.connections()).toBe(2)
  })

  test('that has nothing to say ends alone where others are heard on its connection', async () => {
    await using served = await serveThroughProxy(({ url }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"type":"ADDED","object":1}\n')
      if (url.includes('quiet')) return
      const talking = setInterval(() => response.write('{"type":"MODIFIED","object":1}\n'), 100)
      response.once('close', () => clearInterval(talking))
    })
    const { proxy, transport } = served
    const open = async (path: string) => {
      const answer = await transport.watch({ ...watch, path })
      if (answer.kind !== 'stream') throw new Error('refused')
      return answer.events[Symbol.asyncIterator]()
    }
    const busy = await open('/busy')
    const quiet = await open('/quiet')
    let heard = 0
    const listen = async () => {
      while ((await busy.next()).done !== true) heard++
    }
    const listened = listen().catch((error: unknown) => error)
    await quiet.next()
    await expect(quiet.next()).rejects.toThrow(TransportError)
    const heardBefore = heard
    await expect.poll(() => heard).toBeGreaterThan(heardBefore + 2)
    await (await open('/quiet')).next()
    expect(proxy.connections()).toBe(1)
    await transport.close()
    expect(await listened).toBeInstanceOf(TransportError)
  })

  test('watches do not take the places of requests', async () => {
    await using server = await serve((request, response) => {
      if (request.url?.includes('watch')) response.writeHead(200).write('\n')
      else json(response, {})
    })
    const watches = await Promise.all(Array.from({ length: 50 }, () => server.transport.watch(watch)))
    expect(watches.every(({ kind }) => kind === 'stream')).toBe(true)
    expect((await server.transport.request(get)).status).toBe(200)
  })
})

test('a renewed client certificate is used for new connections', async () => {
  let certificate = { certificate: 'one', key: 'one' }
  const credentials: Credentials = { current: async () => ({ certificate }), invalidate: () => {} }
  await using server = await serve((_, response) => json(response, {}), credentials)
  for (let count = 0; count < 10; count++) await server.transport.request(get)
  const before = server.connections()
  expect(before).toBeLessThan(5)
  certificate = { certificate: 'two', key: 'two' }
  await server.transport.request(get)
  expect(server.connections()).toBe(before + 1)
})
