import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import type { Selection } from '../client/call-options.ts'
import type { Kube } from '../client/client.ts'
import { Informer } from './informer.ts'
import type { KubeMetrics } from '../metrics.ts'
import type { Change, IndexFunction } from './object-cache.ts'

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
}

export interface Following extends Disposable {
  /** The first complete list is there. */
  readonly synced: Promise<void>
}

type Followed<T extends KubernetesObject> = {
  readonly informer: Informer<T>
  readonly stop: AbortController
  holders: number
}

/**
 * Informers of parts of a kind, one for each key that a caller asks for, and only as long: what it costs follows the
 * work at hand and not the size of the cluster.
 */
export class InformerPool<T extends KubernetesObject> {
  readonly #options: InformerPoolOptions<T>
  readonly #followed = new Map<string, Followed<T>>()
  readonly #handlers = new Set<(change: Change<T>, key: string) => void>()

  constructor(options: InformerPoolOptions<T>) {
    this.#options = options
  }

  get size(): number {
    return this.#followed.size
  }

  keys(): IterableIterator<string> {
    return this.#followed.keys()
  }

  /** Follows the key from now on, until every caller that asked for it has disposed of what this returns. */
  follow(key: string): Following {
    const followed = this.#followed.get(key) ?? this.#start(key)
    followed.holders++
    let held = true
    return {
      synced: followed.informer.synced(),
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        followed.holders--
        // Another one may be followed under the key by now, if the pool was disposed of in between.
        if (followed.holders === 0 && this.#followed.get(key) === followed) this.#stop(key, followed)
      },
    }
  }

  /** Undefined: no caller asked for it. */
  get(key: string): Informer<T> | undefined {
    return this.#followed.get(key)?.informer
  }

  /** Tells every change under every key, also under those that are followed later. */
  subscribe(handler: (change: Change<T>, key: string) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  [Symbol.dispose](): void {
    for (const [key, followed] of this.#followed) this.#stop(key, followed)
  }

  #start(key: string): Followed<T> {
    const { selectionOf, ...options } = this.#options
    const informer = new Informer({ ...options, selection: selectionOf(key) })
    const followed = { informer, stop: new AbortController(), holders: 0 }
    this.#followed.set(key, followed)
    informer.subscribe((change) => {
      for (const handler of this.#handlers) handler(change, key)
    })
    void informer.run(followed.stop.signal)
    return followed
  }

  #stop(key: string, { stop }: Followed<T>): void {
    this.#followed.delete(key)
    stop.abort(new Error(`the ${this.#options.resource.plural} of ${key} are not needed any more`))
  }
}
