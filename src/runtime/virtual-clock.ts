import { assert } from './assert.ts'
import type { Clock } from './clock.ts'

type PendingTimer = { readonly dueMs: number; readonly order: number; readonly callback: () => void }

/** A clock that stands still until a test moves it. Timers due at the same moment fire in the order they were set. */
export class VirtualClock implements Clock {
  readonly #startMs: number
  #elapsedMs = 0
  #order = 0
  readonly #timers = new Set<PendingTimer>()

  constructor(options: { startMs?: number } = {}) {
    this.#startMs = options.startMs ?? Date.UTC(2026, 0, 1)
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  timer(delayMs: number, callback: () => void): Disposable {
    assert(Number.isFinite(delayMs), 'a timer needs a finite delay')
    const timer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, callback }
    this.#timers.add(timer)
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
  }

  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Moves time forward, firing every timer on the way and letting what each one woke up settle before the next. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs
    await settle()
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next)
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs)
      next.callback()
      await settle()
    }
    this.#elapsedMs = untilMs
  }

  #next(untilMs: number): PendingTimer | undefined {
    let next: PendingTimer | undefined
    for (const timer of this.#timers) {
      if (timer.dueMs > untilMs) continue
      if (next === undefined || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) {
        next = timer
      }
    }
    return next
  }
}

/**
 * Until no promise has anything left to do, however long its chain of awaits is. Node runs what nextTick was given when
 * the queue of microtasks is empty, if it was given from one of them: hence the first await.
 */
async function settle(): Promise<void> {
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
}
