import { Pool, errors, type Dispatcher } from 'undici'
import type { ClientCertificate, Credentials } from '../auth/credentials.ts'
import { AskingPool } from './asking-pool.ts'
import { connectOptions, type ServerTls } from './connect-options.ts'
import { queryString } from './paths.ts'
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportWatch,
} from './transport.ts'
import { unlessAborted } from '../single-flight.ts'
import { asTransportError, isOf } from './undici-errors.ts'
import { parseWatchLines } from '../watch/watch-lines.ts'

export interface UndiciTransportOptions {
  /** `https://10.0.0.1:6443`, possibly with a path below which the API lives. */
  readonly server: string
  readonly tls: ServerTls
  readonly credentials: Credentials
  readonly userAgent: string
  /** How long a watch may bring nothing before its connection counts as dead. */
  readonly watchSilenceMaxMs?: number
}

const limits = {
  /** Watches have a pool of their own, so that they never starve requests. */
  requestConnectionsMax: 64,
  watchConnectionsMax: 1_024,
  /** Below the 90 s after which the API server itself closes an idle connection. */
  idleMs: 60_000,
  /** The API server itself gives up on a request after 60 s. */
  answerTimeoutMs: 70_000,
  /**
   * The API server sends a bookmark about once a minute, so a connection on which all is silent for longer is dead. A
   * kind that never changes may have none: such a watch begins again by itself.
   */
  watchSilenceMaxMs: 120_000,
  answerBytesMax: 256 * 1024 * 1024,
}

type Pools = {
  readonly certificate: ClientCertificate | undefined
  readonly connect: ReturnType<typeof connectOptions>
  readonly requests: AskingPool
  readonly watches: WatchPool
}

interface WatchPool {
  readonly pool: Pool
  /** How often any of its watches brought something. */
  heard: number
}

/** What beforeSending threw, on its way through undici. */
class KeptBack extends Error {
  constructor(options: { cause: unknown }) {
    super('kept back', options)
  }
}

/** Talks to a real API server over kept-alive connections. */
export class UndiciTransport implements Transport {
  readonly #options: UndiciTransportOptions
  readonly #origin: string
  readonly #basePath: string
  #pools: Pools | undefined
  #closed = false

  constructor(options: UndiciTransportOptions) {
    const url = new URL(options.server)
    this.#options = options
    this.#origin = url.origin
    this.#basePath = url.pathname.replace(/\/$/, '')
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#dispatch(request, 'requests')
    return readResponse(response)
  }

  async watch(request: TransportRequest): Promise<TransportWatch> {
    const { signal, isWorthParsing, ...unsignalled } = request
    signal?.throwIfAborted()
    const response = await untilAnswered(this.#openWatch(unsignalled), signal)
    if (response.statusCode !== 200) return { kind: 'refused', ...(await readResponse(response)) }
    const chunks = this.#chunks(chunksOf(response.body, signal), this.#pools?.watches)
    return { kind: 'stream', events: parseWatchLines(chunks, isWorthParsing) }
  }

  async close(): Promise<void> {
    this.#closed = true
    await closePools(this.#pools)
    this.#pools = undefined
  }

  async #openWatch(request: TransportRequest): Promise<Dispatcher.ResponseData> {
    const watches = this.#pools?.watches
    try {
      return await this.#dispatch(request, 'watches')
    } catch (error) {
      // Where only some watches were silent, this shows that their connection is dead.
      if (isOf(errors.HeadersTimeoutError, error)) this.#leave(watches, error)
      throw error
    }
  }

  async #dispatch(request: TransportRequest, pool: 'requests' | 'watches'): Promise<Dispatcher.ResponseData> {
    const response = await this.#send(request, pool)
    if (response.statusCode !== 401) return response
    // A token that ran out a moment ago: ask for a fresh one, once. A 401 was not carried out, so this is safe.
    await response.body.dump()
    this.#options.credentials.invalidate()
    return this.#send(request, pool)
  }

  async #send(request: TransportRequest, pool: 'requests' | 'watches'): Promise<Dispatcher.ResponseData> {
    const { token, certificate } = await this.#options.credentials.current(request.signal)
    request.signal?.throwIfAborted()
    const pools = this.#poolsFor(certificate)
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': this.#options.userAgent }
    if (request.body !== undefined) headers['content-type'] = 'application/json'
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    const beforeSending = () => {
      try {
        request.beforeSending?.()
      } catch (reason) {
        throw new KeptBack({ cause: reason })
      }
    }
    try {
      const options = {
        method: request.method,
        path: this.#basePath + request.path + queryString(request.query),
        headers: { ...headers, ...request.headers },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
        beforeSending,
      }
      return await (pool === 'requests' ? pools.requests : pools.watches.pool).request(options)
    } catch (cause) {
      if (cause instanceof KeptBack) throw cause.cause
      request.signal?.throwIfAborted()
      throw asTransportError(cause)
    }
  }

  async *#chunks(
    chunks: AsyncIterable<Uint8Array>,
    watches: WatchPool | undefined,
  ): AsyncGenerator<Uint8Array, void, void> {
    let heard = watches?.heard
    try {
      for await (const chunk of chunks) {
        if (watches !== undefined) heard = ++watches.heard
        yield chunk
      }
    } catch (error) {
      // Where others were heard since, it is this watch that has nothing to say.
      if (isOf(errors.BodyTimeoutError, error) && watches?.heard === heard) this.#leave(watches, error)
      throw error
    }
  }

  /** A connection that died in silence keeps all its watches, and would get the next ones too: all of them begin again. */
  #leave(watches: WatchPool | undefined, error: Error): void {
    if (watches === undefined || this.#pools?.watches !== watches) return
    this.#pools = { ...this.#pools, watches: this.#openWatches(this.#pools.connect) }
    void watches.pool.destroy(error).catch(() => {})
  }

  /** A renewed client certificate needs new connections; requests under way finish on the old ones. */
  #poolsFor(certificate: ClientCertificate | undefined): Pools {
    if (this.#closed) throw new TransportError('the transport is closed', { sent: 'no' })
    if (this.#pools !== undefined && this.#pools.certificate === certificate) return this.#pools
    const old = this.#pools
    if (old !== undefined) {
      void old.requests.close().catch(() => {})
      void old.watches.pool.destroy().catch(() => {})
    }
    this.#pools = this.#openPools(certificate)
    return this.#pools
  }

  #openPools(certificate: ClientCertificate | undefined): Pools {
    const connect = connectOptions(this.#origin, this.#options.tls, certificate)
    const requests = new AskingPool(this.#origin, {
      connect,
      allowH2: false,
      keepAliveTimeout: limits.idleMs,
      connections: limits.requestConnectionsMax,
      headersTimeout: limits.answerTimeoutMs,
      bodyTimeout: limits.answerTimeoutMs,
      maxResponseSize: limits.answerBytesMax,
    })
    return { certificate, connect, requests, watches: this.#openWatches(connect) }
  }

  #openWatches(connect: Pools['connect']): WatchPool {
    const pool = new Pool(this.#origin, {
      connect,
      // HTTP/2: hundreds of watches share a handful of connections.
      allowH2: true,
      connections: limits.watchConnectionsMax,
      headersTimeout: limits.answerTimeoutMs,
      bodyTimeout: this.#options.watchSilenceMaxMs ?? limits.watchSilenceMaxMs,
    })
    return { pool, heard: 0 }
  }
}

async function closePools(pools: Pools | undefined): Promise<void> {
  await Promise.all([pools?.requests.destroy(), pools?.watches.pool.destroy()])
}

async function readResponse(response: Dispatcher.ResponseData): Promise<TransportResponse> {
  let text: string
  try {
    text = await response.body.text()
  } catch (cause) {
    throw asTransportError(cause)
  }
  return { status: response.statusCode, headers: response.headers, body: parseBody(text, response.headers) }
}

function parseBody(text: string, headers: Dispatcher.ResponseData['headers']): unknown {
  if (!String(headers['content-type'] ?? '').includes('json')) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TransportError('the answer is not the JSON that it says it is', { sent: 'maybe', cause })
  }
}

/** Ends the stream when the caller stops reading, and speaks of breaks as TransportErrors. */
async function* chunksOf(
  body: Dispatcher.ResponseData['body'],
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const end = () => drop(body)
  signal?.addEventListener('abort', end, { once: true })
  try {
    signal?.throwIfAborted()
    for await (const chunk of body) yield chunk as Uint8Array
    signal?.throwIfAborted()
  } catch (cause) {
    signal?.throwIfAborted()
    throw asTransportError(cause)
  } finally {
    signal?.removeEventListener('abort', end)
    drop(body)
  }
}

/**
 * A request over HTTP/2 that is aborted in the turn in which it is sent leaves a stream without a listener, and its
 * failure would end the process when the connection ends. So undici hears nothing of it: the answer is dropped instead.
 */
async function untilAnswered(
  answer: Promise<Dispatcher.ResponseData>,
  signal: AbortSignal | undefined,
): Promise<Dispatcher.ResponseData> {
  try {
    return await unlessAborted(answer, signal)
  } catch (error) {
    if (signal?.aborted === true) void dropAnswer(answer)
    throw error
  }
}

async function dropAnswer(answer: Promise<Dispatcher.ResponseData>): Promise<void> {
  try {
    drop((await answer).body)
  } catch {
    // It has failed anyway.
  }
}

function drop(body: Dispatcher.ResponseData['body']): void {
  // What becomes of it is of no interest any more, and must not end the process.
  body.on('error', () => {})
  body.destroy()
}
