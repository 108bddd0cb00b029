import { Fifo } from './fifo.ts'

/** Callers that wait for their turn, first come first served. Who aborts has left the line and holds nothing in it. */
export class WaitingLine {
  readonly #waiters = new Fifo<() => void>()
  readonly #onEmpty: () => void

  /** `onEmpty` is called when the last one has left by itself. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty
  }

  get length(): number {
    return this.#waiters.length
  }

  /** Resolves when admitNext() reaches this caller; rejects with the signal's reason when that aborts before. */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const place = this.#waiters.push(() => {
      // From here on it is admitted, also if it aborts in this very turn, or what it was given would be lost.
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      place.leave()
      reject(signal?.reason)
      if (this.#waiters.length === 0) this.#onEmpty()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    await promise
  }

  /** False when no caller waits. */
  admitNext(): boolean {
    const admit = this.#waiters.shift()
    admit?.()
    return admit !== undefined
  }
}
