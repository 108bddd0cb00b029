import { once } from 'node:events'
import { Agent, request, type RequestOptions } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority } from '../../runtime/certificates.ts'
import { systemClock } from '../../runtime/system.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { BadReview } from '../reviews/admission-request.ts'
import type { ReviewHandler } from '../admission.ts'
import { renderReview } from '../reviews/answer.ts'
import { openAdmissionListener, timeoutMsOf, type AdmissionListener } from './listener.ts'
import { buildSecretPath } from './path-secret.ts'

const authority = createAuthority('test', Date.now())
const issue = () => authority.issue({ commonName: 'webhook', usage: 'server', addresses: ['127.0.0.1'] })
const json = { 'content-type': 'application/json' }
const secret = '7'.repeat(64)
const secrets = () => [secret]

const handlers = new Map<string, ReviewHandler>([
  ['/echo', async (review) => renderReview((review as { uid: string }).uid, { allowed: true })],
  ['/broken', () => Promise.reject(new Error('the API server is away\nfor a while'))],
  ['/picky', () => Promise.reject(new BadReview('request.uid is missing'))],
  [
    '/slow',
    (_review, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  ],
])

const open = (clock = systemClock) =>
  openAdmissionListener({ handlers, secrets, serving: issue(), host: '127.0.0.1', port: 0, clock })

let listener: AdmissionListener
beforeAll(async () => {
  listener = await open()
})
afterAll(() => listener[Symbol.asyncDispose]())

const send = (path: string, body: string, options: RequestOptions = {}, port = listener.port) =>
  sendTo(buildSecretPath(secret, path), body, options, port)

async function sendTo(path: string, body: string, options: RequestOptions = {}, port = listener.port) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    ca: authority.certificate,
    agent: false,
    headers: json,
    ...options,
  })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: await text(answer) }
}

test('a review is answered', async () => {
  const { status, body } = await send('/echo?timeout=10s', '{"uid":"u"}')
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ kind: 'AdmissionReview', response: { uid: 'u', allowed: true } })
})

describe('what is no review gets one line, for those who know the secret', () => {
  test.each<{ name: string; path: string; body?: string; options?: RequestOptions; expected: [number, string] }>([
    {
      name: 'another type',
      path: '/echo',
      options: { headers: { 'content-type': 'text/plain' } },
      expected: [415, 'content-type must be application/json'],
    },
    { name: 'no JSON', path: '/echo', body: '{', expected: [400, 'the body is no JSON'] },
    { name: 'another object', path: '/picky', expected: [400, 'request.uid is missing'] },
    { name: 'a failure', path: '/broken', expected: [500, 'the API server is away\n'] },
    { name: 'a slow one', path: '/slow?timeout=50ms', expected: [504, 'no answer within 50 ms'] },
  ])('$name', async ({ path, body = '{}', options, expected: [status, start] }) => {
    const answer = await send(path, body, options)
    expect(answer.status).toBe(status)
    expect(answer.body.startsWith(start)).toBe(true)
    expect(answer.body.trimEnd()).not.toContain('\n')
  })

  test('a body of more than 3 MiB', async () => {
    const answer = await send('/echo', JSON.stringify({ uid: 'x'.repeat(3 * 1_024 * 1_024) }))
    expect(answer).toEqual({ status: 413, body: 'a review has at most 3145728 bytes\n' })
  })
})

describe('all else gets 404 and nothing more', () => {
  const right = buildSecretPath(secret, '/echo')
  test.each<{ name: string; path: string; options?: RequestOptions }>([
    { name: 'the root', path: '/' },
    { name: 'a plain path', path: '/echo' },
    { name: 'another secret', path: buildSecretPath('8'.repeat(64), '/echo') },
    { name: 'a webhook that is not there', path: buildSecretPath(secret, '/other') },
    { name: 'the secret alone', path: buildSecretPath(secret, '') },
    { name: 'a GET of the right path', path: right, options: { method: 'GET' } },
    { name: 'a PUT of the right path', path: right, options: { method: 'PUT' } },
    { name: 'the right path by a detour', path: `/x/..${right}` },
    { name: 'the right path in percent', path: right.replaceAll('7', '%37') },
    { name: 'the right path with its host', path: `https://127.0.0.1${right}` },
    { name: 'the right path as a query', path: `/?${right}` },
    { name: 'what is no URL', path: '//' },
    { name: 'another type', path: '/echo', options: { headers: { 'content-type': 'text/plain' } } },
  ])('$name', async ({ path, options }) => {
    for (const body of ['{"uid":"u"}', '{', '']) {
      expect(await sendTo(path, body, options)).toEqual({ status: 404, body: '' })
    }
  })

  test('before the body is there', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: listener.port,
      path: '/echo',
      method: 'POST',
      ca: authority.certificate,
      agent: false,
      headers: { ...json, 'content-length': 1_000_000 },
    })
    outgoing.on('error', () => {})
    outgoing.write('{')
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([404, '0'])
    outgoing.destroy()
  })
})

test('a secret that is let in later, or no more, is followed', async () => {
  let known = ['1'.repeat(64)]
  const options = { handlers, secrets: () => known, serving: issue(), host: '127.0.0.1', port: 0, clock: systemClock }
  await using own = await openAdmissionListener(options)
  const statusOf = async (letter: string) =>
    (await sendTo(buildSecretPath(letter.repeat(64), '/echo'), '{"uid":"u"}', {}, own.port)).status
  expect([await statusOf('1'), await statusOf('2')]).toEqual([200, 404])
  known = ['2'.repeat(64), '1'.repeat(64)]
  expect([await statusOf('1'), await statusOf('2')]).toEqual([200, 200])
  known = ['2'.repeat(64)]
  expect([await statusOf('1'), await statusOf('2')]).toEqual([404, 200])
})

test.each([
  ['10s', 10_000],
  ['500ms', 500],
  ['', 30_000],
  ['1h', 30_000],
  ['999999s', 30_000],
])('timeout=%s is %i ms', (given, expected) => {
  expect(timeoutMsOf(new URL(`https://localhost/x?timeout=${given}`))).toBe(expected)
})

test('a client that goes away ends the review', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const waiting: ReviewHandler = (_review, signal) => {
    signal.addEventListener('abort', () => resolve(signal.reason))
    outgoing.destroy()
    return new Promise(() => {})
  }
  await using own = await openAdmissionListener({
    handlers: new Map([['/wait', waiting]]),
    secrets,
    serving: issue(),
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
  })
  const outgoing = request({
    host: '127.0.0.1',
    port: own.port,
    path: buildSecretPath(secret, '/wait'),
    method: 'POST',
    ca: authority.certificate,
    agent: false,
    headers: json,
  })
  outgoing.on('error', () => {})
  outgoing.end('{}')
  expect(await promise).toMatchObject({ message: 'the client has gone' })
})

test('another certificate is shown from the next connection on, and open ones go on', async () => {
  await using own = await open()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const through = { agent }
  expect((await send('/echo', '{"uid":"1"}', through, own.port)).status).toBe(200)
  const shown = async () => {
    const socket = connect({ host: '127.0.0.1', port: own.port, ca: authority.certificate })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  const before = await shown()
  own.reload(issue())
  expect(await shown()).not.toBe(before)
  expect((await send('/echo', '{"uid":"2"}', through, own.port)).status).toBe(200)
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
  agent.destroy()
})

test('closing waits for a review that is under way, but not for ever', async () => {
  const clock = new VirtualClock()
  const own = await open(clock)
  const started = Promise.withResolvers<void>()
  const hanging = send('/slow', '{}', {}, own.port).catch((error: unknown) => error)
  const poll = setInterval(() => clock.pendingTimers > 0 && started.resolve(), 5)
  await started.promise
  clearInterval(poll)
  const closed = own[Symbol.asyncDispose]()
  await clock.advance(5_000)
  await closed
  expect(await hanging).toBeInstanceOf(Error)
})

test('closing is done as soon as the last review is', async () => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const own = await openAdmissionListener({
    handlers: new Map<string, ReviewHandler>([
      [
        '/wait',
        async () => {
          started.resolve()
          await finish.promise
          return renderReview('u', { allowed: true })
        },
      ],
    ]),
    secrets,
    serving: issue(),
    host: '127.0.0.1',
    port: 0,
    // Nobody moves it: patience never runs out.
    clock: new VirtualClock(),
  })
  const agent = new Agent({ keepAlive: true })
  const answer = send('/wait', '{}', { agent }, own.port)
  await started.promise
  const closed = own[Symbol.asyncDispose]()
  finish.resolve()
  expect((await answer).status).toBe(200)
  await closed
  agent.destroy()
})
