import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { assert } from '../../runtime/assert.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import type { Selection } from '../client/call-options.ts'
import type { Kube } from '../client/client.ts'
import type { ObjectKey } from '../client/paths.ts'
import type { KubeMetrics } from '../metrics.ts'
import { FollowedPart, type FollowedObjects } from './followed-part.ts'
import { Informer } from './informer.ts'
import type { Change, IndexFunction, Packing } from './object-cache.ts'

/** What every informer needs. */
export interface InformerParts {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: KubeMetrics
}

export interface InformerPoolOptions<T extends KubernetesObject> extends InformerParts {
  readonly resource: Resource<T>
  /** Which objects are those of a key. */
  readonly selectionOf: (key: string) => Selection
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /** What is kept of each object. */
  readonly project?: (object: T) => T
  readonly packing?: Packing<T>
  readonly pageSize?: number
  readonly whole?: Whole<T>
}

/** Where one watch of all objects of a kind is cheaper than many watches of parts. */
export interface Whole<T extends KubernetesObject> {
  /** Follows the whole kind under whichever single key. Others may use it too. */
  readonly pool: InformerPool<T>
  /** By which of its indexes the objects of a key are found. */
  readonly index: string
  readonly keyOf: (object: T) => string
  /** More keys than these are too many watches, now. */
  readonly above: () => number
  /** Another reason to follow all, looked at when a key is new. */
  readonly isWanted?: () => boolean
}

export interface Following extends Disposable {
  /** The first complete list is there. */
  readonly synced: Promise<void>
}

const wholeKey = 'all'
/** So few keys are left that their own watches cost less again. */
const fewOf = 4

/**
 * Informers of parts of a kind, one for each key that a caller asks for, and only as long: what it costs follows the
 * work at hand and not the size of the cluster. If so many keys are asked for that the work is as large as the cluster,
 * one informer of all replaces them.
 */
export class InformerPool<T extends KubernetesObject> {
  readonly #options: InformerPoolOptions<T>
  readonly #parts = new Map<string, FollowedPart<T>>()
  readonly #handlers = new Set<(change: Change<T>, key: string) => void>()
  #whole: { readonly all: FollowedObjects<T>; readonly holds: DisposableStack } | undefined
  #isWide = false

  constructor(options: InformerPoolOptions<T>) {
    this.#options = options
  }

  get size(): number {
    return this.#parts.size
  }

  keys(): IterableIterator<string> {
    return this.#parts.keys()
  }

  /** Follows the key from now on, until every caller that asked for it has disposed of what this returns. */
  follow(key: string): Following {
    const part = this.#parts.get(key) ?? this.#open(key)
    part.holders++
    let held = true
    return {
      synced: part.synced(),
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        part.holders--
        // Another one may be followed under the key by now, if the pool was disposed of in between.
        if (part.holders === 0 && this.#parts.get(key) === part) this.#close(key, part)
      },
    }
  }

  /** Undefined: no caller asked for it. */
  get(key: string): FollowedPart<T> | undefined {
    return this.#parts.get(key)
  }

  /** Under which key the object is that has this name, and its newest version there. */
  find(name: ObjectKey): { readonly key: string; readonly object: T } | undefined {
    const inWhole = this.#isWide ? this.#whole?.all.get(name) : undefined
    const whole = inWhole === undefined ? undefined : this.#options.whole?.keyOf(inWhole)
    for (const key of whole === undefined ? this.#parts.keys() : [whole]) {
      const object = this.#parts.get(key)?.get(name)
      if (object !== undefined) return { key, object }
    }
    return undefined
  }

  /** How long ago the API server said anything about any of it. */
  silentForMs(): number {
    return Math.min(...this.#parts.values().map((part) => part.silentForMs()))
  }

  /** Tells every change under every key, also under those that are followed later. */
  subscribe(handler: (change: Change<T>, key: string) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  [Symbol.dispose](): void {
    const parts = [...this.#parts.values()]
    this.#parts.clear()
    for (const part of parts) part[Symbol.dispose]()
    this.#choose()
  }

  #open(key: string): FollowedPart<T> {
    const part = new FollowedPart<T>(key)
    part.subscribe((change) => {
      for (const handler of this.#handlers) handler(change, key)
    })
    this.#parts.set(key, part)
    this.#choose()
    // Many keys are often asked for in one go: whether there are too many shows at its end.
    queueMicrotask(() => this.#feed(part))
    return part
  }

  #close(key: string, part: FollowedPart<T>): void {
    this.#parts.delete(key)
    part[Symbol.dispose]()
    this.#choose()
  }

  /** Between one informer for each key and one of all. */
  #choose(): void {
    const { whole } = this.#options
    if (whole === undefined) return
    const { size } = this.#parts
    const above = whole.above()
    const isWanted = size > above || (size > 0 && (whole.isWanted?.() ?? false))
    if (isWanted && !this.#isWide) this.#widen(whole)
    else if (!isWanted && this.#isWide && size <= above / fewOf) this.#narrow()
  }

  #widen({ pool, keyOf }: Whole<T>): void {
    this.#isWide = true
    if (this.#whole === undefined) {
      const holds = new DisposableStack()
      holds.use(pool.follow(wholeKey))
      const all = pool.get(wholeKey)
      assert(all !== undefined, 'what is followed is there')
      holds.use(all.subscribe((change) => this.#tellOfWhole(change, keyOf)))
      this.#whole = { all, holds }
    }
    for (const part of this.#parts.values()) this.#feed(part)
  }

  /** Parts read the whole until they have their own. */
  #narrow(): void {
    this.#isWide = false
    const parts = [...this.#parts.values()]
    for (const part of parts) this.#feed(part)
    void this.#forgetWholeAfter(parts)
  }

  async #forgetWholeAfter(parts: readonly FollowedPart<T>[]): Promise<void> {
    await Promise.all(parts.map((part) => part.settled()))
    if (this.#isWide || parts.some((part) => part.readsWhole)) return
    this.#whole?.holds.dispose()
    this.#whole = undefined
  }

  /** Gives the part what it is to read from now on, which it turns to as soon as that is complete. */
  #feed(part: FollowedPart<T>): void {
    if (this.#parts.get(part.key) !== part) return
    const { whole, selectionOf, ...options } = this.#options
    if (this.#isWide && this.#whole !== undefined && whole !== undefined) {
      part.readWhole(this.#whole.all, whole)
    } else {
      part.readOwn(() => new Informer({ ...options, selection: selectionOf(part.key) }))
    }
  }

  #tellOfWhole(change: Change<T>, keyOf: (object: T) => string): void {
    const key = keyOf(change.object)
    const before = change.kind === 'updated' ? keyOf(change.previous) : key
    if (change.kind === 'updated' && before !== key) {
      this.#parts.get(before)?.noteInWhole({ kind: 'deleted', object: change.previous })
      this.#parts.get(key)?.noteInWhole({ kind: 'added', object: change.object })
    } else {
      this.#parts.get(key)?.noteInWhole(change)
    }
  }
}
