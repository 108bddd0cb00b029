import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { Selection } from '../client/call-options.ts'
import type { Kube } from '../client/client.ts'
import { isKubeError } from '../client/errors.ts'
import type { KubeMetrics } from '../metrics.ts'
import { ObjectCache, type Change, type IndexFunction, type Packing } from './object-cache.ts'
import { versionNumber } from './resource-version.ts'

export interface InformerOptions<T extends KubernetesObject> {
  readonly kube: Kube
  readonly resource: Resource<T>
  readonly selection?: Selection
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** What is kept of each object, where most of it would only take up memory. The metadata that says which it is stays. */
  readonly project?: (object: T) => T
  /** The form in which that is held. */
  readonly packing?: Packing<T>
  /** How the objects that matter are found first, where most do not. */
  readonly list?: (signal: AbortSignal) => Promise<Listed<T>>
  /** Events of objects that do not matter, by their JSON: most of what is not parsed costs nothing. */
  readonly isWorthParsing?: (line: Buffer) => boolean
  /** How many a page of the list has, where it is projected. */
  readonly pageSize?: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: KubeMetrics
}

export interface Listed<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
}

const backoff: BackoffOptions = { initialMs: 200, maxMs: 15_000, jitter: 0.2 }
/** Watches end at different times, or a server that comes back would meet all of them at once. */
const watchSeconds = { min: 300, max: 600 }
/** How long past its agreed end a watch may stay open: a connection that died in silence never ends by itself. */
const watchGraceSeconds = 30
/** A watch that ends sooner counts as a failure, or a server that closes at once would be asked in a hot loop. */
const watchSecondsMin = 1

/**
 * Keeps an ObjectCache equal to what the API server has: lists once, then watches, and after any failure continues from
 * the last version it saw, or lists again where the server forgot that version. It never gives up.
 */
export class Informer<T extends KubernetesObject> {
  readonly #options: InformerOptions<T>
  readonly #cache: ObjectCache<T>
  readonly #jitter: RandomStream
  readonly #log: Log
  readonly #handlers = new Set<(change: Change<T>) => void>()
  readonly #firstSync = Promise.withResolvers<void>()
  #synced = false
  /** Undefined: list before the next watch. */
  #resourceVersion: string | undefined
  #listedVersion = -1n
  #seenVersion = -1n
  #waiting: { readonly version: bigint; readonly resolve: () => void }[] = []
  #failures = 0
  #heardAtMs = Number.NEGATIVE_INFINITY

  constructor(options: InformerOptions<T>) {
    this.#options = options
    this.#cache = new ObjectCache(options.indexes, options.packing)
    this.#jitter = options.random.stream(`kube/informer/${options.resource.plural}`)
    this.#log = options.log.child({ resource: options.resource.plural })
  }

  /** True once there was a complete list; what get and list say before then is not all there is. */
  get isSynced(): boolean {
    return this.#synced
  }

  /** Resolves after the first complete list, when its changes have been told to the handlers. */
  synced(): Promise<void> {
    return this.#firstSync.promise
  }

  /** How long ago the API server said anything: what was before that has been seen, as watches keep the order. */
  silentForMs(): number {
    return this.#options.clock.monotonicMs() - this.#heardAtMs
  }

  /** The version of the last complete list. */
  get listedVersion(): bigint {
    return this.#listedVersion
  }

  /** Whether it has seen all that the API server had at this version. */
  hasSeen(version: bigint): boolean {
    return this.#seenVersion >= version
  }

  /** Resolves once it has. A watch of many objects gets there soon: its next event or bookmark says so. */
  async seen(version: bigint): Promise<void> {
    if (this.hasSeen(version)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ version, resolve })
    await promise
  }

  get size(): number {
    return this.#cache.size
  }

  get(key: { readonly namespace?: string; readonly name: string }): T | undefined {
    return this.#cache.get(key)
  }

  list(): T[] {
    return this.#cache.list()
  }

  byIndex(name: string, value: string): T[] {
    return this.#cache.byIndex(name, value)
  }

  /** Tells every change from now on, in order, synchronously: nothing is buffered, so a handler only notes and returns. */
  subscribe(handler: (change: Change<T>) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  /** Runs until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) await this.#relist(signal)
        await this.#watch(signal)
      } catch (error) {
        if (signal.aborted) return
        await this.#recoverFrom(error, signal)
      }
    }
  }

  async #relist(signal: AbortSignal): Promise<void> {
    this.#options.metrics.relisted(this.#options.resource.plural)
    const version = await this.#list(signal)
    this.#listedVersion = versionNumber(version)
    this.#noteVersion(version)
    this.#synced = true
    this.#firstSync.resolve()
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { kube, resource, selection, project, list } = this.#options
    if (project !== undefined && list === undefined) return await this.#listByPages(project, signal)
    const { items, resourceVersion } = await (list?.(signal) ?? kube.list(resource, { ...selection, signal }))
    this.#tell(this.#cache.replaceAll(items))
    return resourceVersion
  }

  /** Never the whole of all objects in memory at once, and never busy with all of them at once. */
  async #listByPages(project: (object: T) => T, signal: AbortSignal): Promise<string> {
    const { kube, resource, selection, pageSize } = this.#options
    const replaced = this.#cache.beginReplacement()
    let resourceVersion = ''
    for await (const page of kube.pages(resource, {
      ...selection,
      ...(pageSize === undefined ? {} : { pageSize }),
      signal,
    })) {
      for (const item of page.items) this.#tell(replaced.put(project(item)))
      resourceVersion = page.metadata.resourceVersion ?? ''
    }
    this.#tell(replaced.end())
    return resourceVersion
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { kube, resource, selection, clock, metrics, isWorthParsing } = this.#options
    const { project = (object) => object } = this.#options
    const timeoutSeconds = Math.round(watchSeconds.min + this.#jitter.next() * (watchSeconds.max - watchSeconds.min))
    const silence = new AbortController()
    const deadlineMs = (timeoutSeconds + watchGraceSeconds) * 1_000
    using _deadline = clock.timer(deadlineMs, () => silence.abort(new Error('the watch stayed open beyond its end')))
    const startedMs = clock.monotonicMs()
    const events = kube.watch(resource, {
      ...selection,
      resourceVersion: this.#resourceVersion ?? '',
      timeoutSeconds,
      ...(isWorthParsing === undefined ? {} : { isWorthParsing }),
      signal: AbortSignal.any([signal, silence.signal]),
    })
    for await (const event of events) {
      this.#noteSuccess()
      this.#heardAtMs = clock.monotonicMs()
      if (event.kind === 'bookmark') {
        this.#noteVersion(event.resourceVersion)
        continue
      }
      this.#tell(event.kind === 'deleted' ? this.#cache.remove(event.object) : this.#cache.put(project(event.object)))
      this.#noteVersion((event.object as KubernetesObject).metadata.resourceVersion)
    }
    if (clock.monotonicMs() - startedMs < watchSecondsMin * 1_000) throw new Error('the watch ended at once')
    metrics.watchEnded(resource.plural, 'timeout')
    this.#noteSuccess()
  }

  async #recoverFrom(error: unknown, signal: AbortSignal): Promise<void> {
    const { resource, metrics, clock } = this.#options
    const expired = isKubeError(error, 'expired')
    metrics.watchEnded(resource.plural, isKubeError(error) ? error.kind : 'broken')
    if (expired) this.#resourceVersion = undefined
    this.#failures++
    // One line when trouble begins and one when it is over, however long it lasts.
    if (this.#failures === 2) this.#log.warn({ error: messageOf(error) }, 'cannot follow the cluster, trying again')
    // The first list after an expired version comes at once: that is how watching works, not a failure.
    if (expired && this.#failures === 1) return
    try {
      await sleep(clock, backoffMs(this.#failures, backoff, this.#jitter), signal)
    } catch {
      // Aborted while waiting; run() sees it.
    }
  }

  #noteVersion(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion
    this.#seenVersion = versionNumber(resourceVersion)
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ version }) => !this.hasSeen(version))
    for (const { version, resolve } of waiting) if (this.hasSeen(version)) resolve()
  }

  #noteSuccess(): void {
    if (this.#failures >= 2) this.#log.info({ failures: this.#failures }, 'following the cluster again')
    this.#failures = 0
  }

  #tell(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      for (const handler of this.#handlers) handler(change)
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
