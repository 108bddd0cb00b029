import type { Clock } from '../../runtime/clock.ts'

export interface Wait<T> {
  /** Undefined: not yet. */
  readonly look: () => T | undefined
  /** Calls back when it is worth another look. */
  readonly subscribe: (notice: () => void) => Disposable
  readonly clock: Clock
  /** 0: without end. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The first answer there is, unless the time is up or the user interrupts before. */
export async function waitUntil<T>(wait: Wait<T>): Promise<T | 'timeout' | 'interrupted'> {
  const { look, subscribe, clock, timeoutMs, signal } = wait
  const end = Promise.withResolvers<T | 'timeout' | 'interrupted'>()
  const notice = () => {
    const answer = look()
    if (answer !== undefined) end.resolve(answer)
  }
  const interrupt = () => end.resolve('interrupted')
  using _subscription = subscribe(notice)
  using _timer = timeoutMs === 0 ? undefined : clock.timer(timeoutMs, () => end.resolve('timeout'))
  signal.addEventListener('abort', interrupt, { once: true })
  try {
    if (signal.aborted) interrupt()
    notice()
    return await end.promise
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}
