import { assert } from './assert.ts'
import type { Clock } from './clock.ts'
import { WaitingLine } from './waiting-line.ts'

export interface TokenBucketOptions {
  readonly clock: Clock
  readonly ratePerSecond: number
  /** How many may go at once after a pause. */
  readonly burst: number
}

/** Sums of fractions miss a moment by less than this; without it a timer could be due and still come too early. */
const roundingMs = 1e-6

/** At most `burst` at once and `ratePerSecond` in the long run, first come first served. */
export class TokenBucket {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #allowanceMs: number
  readonly #line = new WaitingLine(() => this.#disarm())
  /**
   * When the bucket is full again. Each token moves it on by exactly one interval from where it was, not from when a timer
   * happened to fire, so late timers cost nothing.
   */
  #fullAtMs = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined

  constructor(options: TokenBucketOptions) {
    assert(options.ratePerSecond > 0 && Number.isFinite(options.ratePerSecond), 'a rate is above 0')
    assert(options.burst >= 1, 'a burst is at least 1')
    this.#clock = options.clock
    this.#intervalMs = 1_000 / options.ratePerSecond
    this.#allowanceMs = (options.burst - 1) * this.#intervalMs
  }

  get waiting(): number {
    return this.#line.length
  }

  /** Takes a token if there is one now and no caller waits for it. */
  tryTake(): boolean {
    return this.#line.length === 0 && this.#takeNow({ lateMsMax: 0 })
  }

  /** Resolves when it is this caller's turn; rejects with the signal's reason, and takes no token, when that aborts. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.tryTake()) return
    const turn = this.#line.wait(signal)
    if (this.#timer === undefined) this.#arm()
    await turn
  }

  /** A token that a caller waited for was there before the timer fired: that lateness, within bounds, is not lost. */
  #takeNow(options: { lateMsMax: number }): boolean {
    if (this.#waitMs() > roundingMs) return false
    const countsFromMs = this.#clock.monotonicMs() - options.lateMsMax
    this.#fullAtMs = Math.max(this.#fullAtMs, countsFromMs) + this.#intervalMs
    return true
  }

  #waitMs(): number {
    return this.#fullAtMs - this.#allowanceMs - this.#clock.monotonicMs()
  }

  #arm(): void {
    this.#timer = this.#clock.timer(Math.max(0, this.#waitMs()), () => {
      this.#timer = undefined
      while (this.#line.length > 0 && this.#takeNow({ lateMsMax: this.#intervalMs })) this.#line.admitNext()
      if (this.#line.length > 0) this.#arm()
    })
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }
}
