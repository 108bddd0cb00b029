import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

// The one file that touches the real time, timers and randomness; only cli/, the connection of the SDK and tests import it.

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer: (delayMs, callback) => {
    // Beyond 2^31 - 1 ms Node fires at once, with a warning: such a delay means "not in this process's life".
    const timeout = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1))
    return { [Symbol.dispose]: () => clearTimeout(timeout) }
  },
}

/** Resolves when everything that is ready now has run. */
export const systemTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export const systemRandom: Random = { stream: () => ({ next: () => Math.random() }) }
