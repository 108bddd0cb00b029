import { assert } from './assert.ts'
import { WaitingLine } from './waiting-line.ts'

/** At most so many at once; the others wait in the order they came, each until its signal aborts. */
export class ConcurrencyLimit {
  readonly #max: number
  readonly #line = new WaitingLine()
  #running = 0

  constructor(max: number) {
    assert(Number.isInteger(max) && max >= 1, 'a concurrency limit is a whole number of at least 1')
    this.#max = max
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#line.length
  }

  /** A place, held until it is disposed: `using _place = await limit.acquire(signal)`. */
  async acquire(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#running < this.#max) this.#running++
    // The caller that leaves hands its place over, so that no caller that comes in between can take it.
    else await this.#line.wait(signal)
    return this.#place()
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    using _place = await this.acquire(signal)
    return await work()
  }

  #place(): Disposable {
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        if (!this.#line.admitNext()) this.#running--
      },
    }
  }
}
