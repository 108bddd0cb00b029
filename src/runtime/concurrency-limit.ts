import { FairQueue } from './fair-queue.ts'

/**
 * At most so many at once; the others wait in the order they came, each until its signal aborts. Where room is kept, a
 * group whose work is slow cannot take all places: see FairQueue.
 */
export class ConcurrencyLimit {
  readonly #queue: FairQueue<() => void>

  constructor(max: number, { keepsRoom = false }: { readonly keepsRoom?: boolean } = {}) {
    this.#queue = new FairQueue({ max, keepsRoom })
  }

  get running(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  /** A place, held until it is disposed: `using _place = await limit.acquire(signal)`. */
  async acquire(signal?: AbortSignal, group = ''): Promise<Disposable> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isWaiting = true
    const place = this.#queue.push(group, () => {
      isWaiting = false
      resolve()
    })
    this.#admit()
    // From its admission on it holds its place, also if it aborts in this very turn, or the place would be lost.
    const onAbort = () => place.leave() && reject(signal?.reason)
    if (isWaiting) {
      signal?.addEventListener('abort', onAbort, { once: true })
      await promise.finally(() => signal?.removeEventListener('abort', onAbort))
    }
    return this.#placeOf(group)
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    using _place = await this.acquire(signal)
    return await work()
  }

  #admit(): void {
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) next.item()
  }

  #placeOf(group: string): Disposable {
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#queue.done(group)
        this.#admit()
      },
    }
  }
}
