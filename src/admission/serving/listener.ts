import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { KeyPair } from '../../runtime/certificates.ts'
import type { Clock } from '../../runtime/clock.ts'
import { listenAt } from '../../runtime/listen.ts'
import { BadReview } from '../reviews/admission-request.ts'
import type { ReviewHandler, ReviewHandlers } from '../admission.ts'
import { matchSecretPath } from './path-secret.ts'

export interface AdmissionListenerOptions {
  readonly handlers: ReviewHandlers
  /** Path secrets that are let in, as of now. */
  readonly secrets: () => readonly string[]
  readonly serving: KeyPair
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly clock: Clock
}

export interface AdmissionListener extends AsyncDisposable {
  readonly port: number
  /** Shows another certificate from the next connection on; those that are open continue. */
  reload(serving: KeyPair): void
}

const limits = {
  bodyBytesMax: 3 * 1024 * 1024,
  /** Longer than the API server keeps a connection for its next call, or it would now and then find a closed one. */
  idleConnectionMs: 120_000,
  /** What an API server may ask for at most, and what we allow when it does not say. */
  reviewMsMax: 30_000,
  /** How long reviews that are under way may take once the listener closes. */
  closingMs: 5_000,
}

/** The door for the API server: AdmissionReviews by HTTPS, each under the path of its webhook, with its secret. */
export async function openAdmissionListener(options: AdmissionListenerOptions): Promise<AdmissionListener> {
  const server = createServer({ cert: options.serving.certificate, key: options.serving.key }, (request, response) => {
    void serve(options, request, response, () => !server.listening)
  })
  server.keepAliveTimeout = limits.idleConnectionMs
  server.requestTimeout = limits.reviewMsMax
  const port = await listenAt(server, options)
  return {
    port,
    reload: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      using _patience = options.clock.timer(limits.closingMs, () => server.closeAllConnections())
      await closed
    },
  }
}

/** What an API server gets that sends no review: a status and one line. */
class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function serve(
  options: AdmissionListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  isClosing: () => boolean,
): Promise<void> {
  const handler = handlerFor(options, request)
  if (handler === undefined) return turnAway(response, isClosing())
  try {
    const url = new URL(request.url ?? '/', 'https://localhost')
    expectJson(request)
    const review = parse(await readBody(request))
    const answer = await inTime(options.clock, handler, { review, timeoutMs: timeoutMsOf(url), response })
    // A connection that is kept for the next review would keep the listener open.
    if (isClosing()) response.setHeader('connection', 'close')
    write(response, 200, 'application/json', JSON.stringify(answer))
  } catch (error) {
    const status = statusOf(error)
    // The rest of an unread body would otherwise be taken for the next request.
    if (status === 413 || isClosing()) response.setHeader('connection', 'close')
    write(response, status, 'text/plain; charset=utf-8', `${firstLine(error)}\n`)
  }
}

/** Undefined for a client that is no API server: it does not know a secret, or what one is sent for. */
function handlerFor({ handlers, secrets }: AdmissionListenerOptions, request: IncomingMessage) {
  // Not through a URL, which would make a right path of a wrong one, such as /x/../reviews.
  const [sent = ''] = (request.url ?? '').split('?')
  const path = matchSecretPath(sent, secrets())
  return path === undefined || request.method !== 'POST' ? undefined : handlers.get(path)
}

/** The same for every mistake, and without a look at the body. Node drops what still comes of that. */
function turnAway(response: ServerResponse, isClosing: boolean): void {
  if (isClosing) response.setHeader('connection', 'close')
  response.writeHead(404, { 'content-length': 0 })
  response.end()
}

function expectJson({ headers }: IncomingMessage): void {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Refusal(415, 'content-type must be application/json')
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limits.bodyBytesMax) throw new Refusal(413, `a review has at most ${limits.bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    throw new Refusal(400, 'the body is no JSON')
  }
}

/** Ends the review's calls when the API server has given up on it, or has gone. */
async function inTime(
  clock: Clock,
  handler: ReviewHandler,
  call: { readonly review: unknown; readonly timeoutMs: number; readonly response: ServerResponse },
): Promise<unknown> {
  const stop = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const give = (status: number, why: string) => {
    const refusal = new Refusal(status, why)
    stop.abort(refusal)
    reject(refusal)
  }
  call.response.once('close', () => give(499, 'the client has gone'))
  using _timer = clock.timer(call.timeoutMs, () => give(504, `no answer within ${call.timeoutMs} ms`))
  return await Promise.race([handler(call.review, stop.signal), stopped])
}

/** The API server says how long it waits: `?timeout=10s`. */
export function timeoutMsOf(url: URL): number {
  const [, count, unit] = /^([0-9]{1,6})(ms|s)$/.exec(url.searchParams.get('timeout') ?? '') ?? []
  if (count === undefined) return limits.reviewMsMax
  return Math.min(Number(count) * (unit === 's' ? 1_000 : 1), limits.reviewMsMax)
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status
  return error instanceof BadReview ? 400 : 500
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

function write(response: ServerResponse, status: number, contentType: string, body: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
