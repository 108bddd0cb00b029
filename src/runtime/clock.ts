/**
 * The only way to learn the time or to wait. The system clock is in system.ts, the one for tests in virtual-clock.ts.
 */
export interface Clock {
  /** Wall-clock time, for timestamps that others read. It may jump. */
  nowMs(): number
  /** Never jumps and has no fixed origin: for deadlines and durations. */
  monotonicMs(): number
  /** Calls back once, after the delay; disposing the timer before then makes sure that it never does. */
  timer(delayMs: number, callback: () => void): Disposable
}

/** Resolves after the delay; rejects with the signal's reason as soon as that aborts. */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  using _timer = clock.timer(delayMs, resolve)
  const onAbort = () => reject(signal?.reason as Error)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
