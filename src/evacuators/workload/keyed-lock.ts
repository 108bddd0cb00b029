import { unlessAborted } from '../../kube/single-flight.ts'
import type { Clock } from '../../runtime/clock.ts'

/** One at a time for each key, in the order in which they came. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>()

  get size(): number {
    return this.#last.size
  }

  async run<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const { promise: done, resolve } = Promise.withResolvers<void>()
    // The next caller waits for both: one that gives up waiting must not let the next one pass.
    const turn = before.then(() => done)
    this.#last.set(key, turn)
    try {
      await unlessAborted(before, signal)
      return await work()
    } finally {
      resolve()
      void this.#tidy(key, turn)
    }
  }

  /** As run, but what takes longer than this does not hold up the next. */
  async runFor<Result>(
    alone: { readonly clock: Clock; readonly ms: number },
    key: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { promise: result, resolve, reject } = Promise.withResolvers<Result>()
    await this.run(key, signal, async () => {
      const { promise: timeIsOver, resolve: end } = Promise.withResolvers<void>()
      using _timer = alone.clock.timer(alone.ms, end)
      await Promise.race([work().then(resolve, reject), timeIsOver])
    })
    return await result
  }

  async #tidy(key: string, turn: Promise<void>): Promise<void> {
    await turn
    if (this.#last.get(key) === turn) this.#last.delete(key)
  }
}
