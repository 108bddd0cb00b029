import type { Clock } from './clock.ts'
import { FairQueue } from './fair-queue.ts'
import { Fifo, type FifoPlace } from './fifo.ts'

export interface ConcurrencyOptions {
  /** A group whose work is slow cannot take all places: see FairQueue. */
  readonly keepsRoom?: boolean
  /** Work that has time begins while fewer than these are under way. */
  readonly spareBelow?: number
}

/** Work that has time: it lets all other work go first, for so long at most. */
export interface Patience {
  readonly clock: Clock
  readonly forMs: number
}

/** At most so many at once; the others wait in the order they came, each until its signal aborts. */
export class ConcurrencyLimit {
  readonly #queue: FairQueue<() => void>
  readonly #spareBelow: number
  /** Those that have time. */
  readonly #patient = new Fifo<() => void>()

  constructor(max: number, { keepsRoom = false, spareBelow = max }: ConcurrencyOptions = {}) {
    this.#queue = new FairQueue({ max, keepsRoom })
    this.#spareBelow = spareBelow
  }

  get running(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#queue.waiting + this.#patient.length
  }

  /** A place, held until it is disposed: `using _place = await limit.acquire(signal)`. */
  async acquire(signal?: AbortSignal, group = '', patience?: Patience): Promise<Disposable> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isWaiting = true
    const begin = () => {
      isWaiting = false
      resolve()
    }
    let place: FifoPlace
    const enter = () => void (place = this.#queue.push(group, begin))
    using waited = new DisposableStack()
    if (patience === undefined) {
      enter()
    } else {
      const patient = (place = this.#patient.push(enter))
      const hurry = () => {
        if (!patient.leave()) return
        enter()
        this.#admit()
      }
      waited.use(patience.clock.timer(patience.forMs, hurry))
    }
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
    for (;;) {
      for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) next.item()
      if (this.#queue.running + this.#queue.waiting >= this.#spareBelow) return
      const enter = this.#patient.shift()
      if (enter === undefined) return
      enter()
    }
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
