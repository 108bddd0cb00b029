import { sleep, type Clock } from './clock.ts'

export interface Patience {
  readonly clock: Clock
  readonly withinMs: number
  readonly everyMs: number
  readonly signal?: AbortSignal | undefined
}

/** Looks again and again until there is something, for what does not report its changes. Undefined: the time is up. */
export async function lookUntil<T>(
  { clock, withinMs, everyMs, signal }: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const giveUpAtMs = clock.monotonicMs() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined || clock.monotonicMs() >= giveUpAtMs) return found
    await sleep(clock, everyMs, signal)
  }
}
