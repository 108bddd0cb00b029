import type { KubernetesObject, Manifest, Status } from '../../src/api/kubernetes/meta.ts'
import {
  TransportError,
  type RawWatchEvent,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportWatch,
} from '../../src/kube/client/transport.ts'

type HistoryEvent = { readonly version: number; readonly path: string; readonly event: RawWatchEvent }
type Fault = (request: TransportRequest) => TransportResponse | Error | 'lostReply' | undefined

/**
 * Just enough of an API server to try the client against: objects by path, versions, lists in pages, watches that
 * resume, compaction, optimistic locking, and faults on demand. Refuses whatever it does not model.
 */
export class FakeApi implements Transport {
  readonly objects = new Map<string, KubernetesObject>()
  readonly requests: TransportRequest[] = []
  readonly #history: HistoryEvent[] = []
  readonly #watchers = new Set<() => void>()
  #version = 100
  #compactedBefore = 0
  #uids = 0
  #breaks = 0
  /** What a list's later pages show is what was there at its first. */
  readonly #snapshots = new Map<number, KubernetesObject[]>()
  /** Asked before each request: an answer replaces the real one, an Error breaks the connection. */
  fault: Fault = () => undefined

  put(path: string, object: Manifest): KubernetesObject {
    const collection = path.slice(0, path.lastIndexOf('/'))
    const previous = this.objects.get(path)
    const metadata = {
      ...object.metadata,
      uid: previous?.metadata.uid ?? `uid-${++this.#uids}`,
      resourceVersion: String(++this.#version),
    }
    const stored = { ...object, metadata }
    this.objects.set(path, stored)
    this.#record(collection, { type: previous === undefined ? 'ADDED' : 'MODIFIED', object: stored })
    return stored
  }

  remove(path: string): void {
    const previous = this.objects.get(path)
    if (previous === undefined) throw new Error(`${path} is not there`)
    this.objects.delete(path)
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(++this.#version) } }
    this.#record(path.slice(0, path.lastIndexOf('/')), { type: 'DELETED', object })
  }

  /** Forgets the history: who watches from before now gets 410. */
  compact(): void {
    this.#compactedBefore = this.#version
  }

  /** Breaks every watch, as a restart of the server does. */
  breakWatches(): void {
    this.#breaks++
    for (const wake of this.#watchers) wake()
  }

  get openWatches(): number {
    return this.#watchers.size
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted()
    request.beforeSending?.()
    this.requests.push(request)
    const fault = this.fault(request)
    if (fault instanceof Error) throw fault
    if (fault === 'lostReply') {
      this.#handle(request)
      throw new TransportError('the connection broke', { sent: 'maybe' })
    }
    return fault ?? this.#handle(request)
  }

  async watch(request: TransportRequest): Promise<TransportWatch> {
    request.signal?.throwIfAborted()
    this.requests.push(request)
    const fault = this.fault(request)
    if (fault instanceof Error) throw fault
    if (typeof fault === 'object') return { kind: 'refused', ...fault }
    const from = Number(request.query?.['resourceVersion'])
    if (from < this.#compactedBefore) return { kind: 'refused', ...failure(410, 'Expired', 'too old resource version') }
    return { kind: 'stream', events: this.#stream(request, from) }
  }

  async close(): Promise<void> {}

  async *#stream(request: TransportRequest, from: number): AsyncGenerator<RawWatchEvent, void, void> {
    const breaks = this.#breaks
    let next = this.#history.findIndex(({ version }) => version > from)
    if (next === -1) next = this.#history.length
    while (!request.signal?.aborted) {
      if (this.#breaks !== breaks) throw new TransportError('other side closed', { sent: 'maybe' })
      const entry = this.#history[next]
      if (entry === undefined) {
        await this.#change(request.signal)
        continue
      }
      next++
      if (entry.path === request.path) yield entry.event
    }
    throw request.signal?.reason
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#watchers.add(resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    return promise.finally(() => this.#watchers.delete(resolve))
  }

  #record(path: string, event: RawWatchEvent): void {
    this.#history.push({ version: this.#version, path, event })
    for (const wake of this.#watchers) wake()
  }

  #handle(request: TransportRequest): TransportResponse {
    const stored = this.objects.get(request.path)
    const sent = request.body as Manifest | undefined
    switch (request.method) {
      case 'GET':
        if (request.query?.['limit'] !== undefined) return this.#list(request)
        return stored === undefined ? failure(404, 'NotFound', `${request.path} not found`) : ok(stored)
      case 'POST': {
        const path = `${request.path}/${sent?.metadata.name}`
        if (this.objects.has(path)) return failure(409, 'AlreadyExists', `${path} already exists`)
        return ok(this.put(path, sent as Manifest))
      }
      case 'PUT': {
        if (stored === undefined) return failure(404, 'NotFound', `${request.path} not found`)
        const isStale = sent?.metadata.resourceVersion !== stored.metadata.resourceVersion
        return isStale ? failure(409, 'Conflict', 'the object has been modified') : ok(this.put(request.path, sent))
      }
      case 'PATCH':
      case 'DELETE':
        throw new Error(`the fake does not model ${request.method} ${request.path}`)
    }
  }

  #list(request: TransportRequest): TransportResponse {
    const limit = Number(request.query?.['limit'])
    const [version = this.#version, offset = 0] = (request.query?.['continue'] ?? '')
      .split(':')
      .filter(Boolean)
      .map(Number)
    if (version < this.#compactedBefore) return failure(410, 'Expired', 'the continue token is too old')
    if (offset === 0) {
      const listed = [...this.objects].filter(([path]) => path.startsWith(`${request.path}/`))
      this.#snapshots.set(
        version,
        listed.map(([, object]) => object),
      )
    }
    const all = this.#snapshots.get(version) ?? []
    const end = offset + limit
    const metadata = {
      resourceVersion: String(version),
      ...(end < all.length ? { continue: `${version}:${end}` } : {}),
    }
    return ok({ metadata, items: all.slice(offset, end) })
  }
}

export function failure(
  status: number,
  reason: string,
  message: string,
  details: Status['details'] = {},
): TransportResponse {
  return {
    status,
    headers: {},
    body: { kind: 'Status', status: 'Failure', code: status, reason, message, details } satisfies Status,
  }
}

function ok(body: unknown): TransportResponse {
  return { status: 200, headers: {}, body }
}
