import { WorkQueue, type Next } from '../../runtime/work-queue.ts'
import type { Stored, StoreEvent } from '../server/store.ts'
import type { ControllerParts } from './controller.ts'

export const settled: Next = { kind: 'settled' }

/** Which keys a change of an object wakes. `previous` is undefined for what is new, or was there before we started. */
export type Wakes = (object: Stored, previous: Stored | undefined, type: StoreEvent['type']) => Iterable<string>

export interface ControlLoopOptions {
  readonly name: string
  readonly parts: ControllerParts
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Next>
  /** By the store's name of the kind. */
  readonly wakes: Readonly<Record<string, Wakes>>
  /** How many keys are worked on at once. */
  readonly concurrency?: number
}

/** Follows the store from now on, and begins with all that is in it: one run per key at a time. */
export class ControlLoop implements AsyncDisposable {
  readonly #queue: WorkQueue
  readonly #open = new DisposableStack()

  constructor({ name, parts, reconcile, wakes, concurrency = 4 }: ControlLoopOptions) {
    const { store, clock, random, log } = parts
    this.#queue = new WorkQueue({ name: `embedded/${name}`, clock, random, log, concurrency, reconcile })
    for (const [resource, keysOf] of Object.entries(wakes)) {
      this.#open.use(
        store.subscribe(({ object, previous, type }) => this.#addAll(keysOf(object, previous, type)), resource),
      )
      for (const object of store.list(resource)) this.#addAll(keysOf(object, undefined, 'ADDED'))
    }
    this.#queue.start(new AbortController().signal)
  }

  add(key: string): void {
    this.#queue.add(key)
  }

  addAfter(key: string, delayMs: number): void {
    this.#queue.addAfter(key, delayMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#open.dispose()
    await this.#queue.stop()
  }

  #addAll(keys: Iterable<string>): void {
    for (const key of keys) this.#queue.add(key)
  }
}

/** For kinds whose own key is to be worked on. */
export function ownKey({ metadata }: Stored): string[] {
  const { namespace, name = '' } = metadata
  return [namespace === undefined ? name : `${namespace}/${name}`]
}

/** Comes back at the earliest of the times; never, without one. */
export function againAt(...timesMs: readonly (number | undefined)[]): Next {
  const known = timesMs.filter((timeMs) => timeMs !== undefined)
  return known.length === 0 ? settled : { kind: 'again', atMs: Math.min(...known) }
}

export function namesOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/')
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) }
}
