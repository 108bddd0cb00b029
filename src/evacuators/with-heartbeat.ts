import { sleep, type Clock } from '../runtime/clock.ts'

export interface Heartbeat {
  readonly clock: Clock
  readonly everyMs: number
  /** Work that takes longer is taken for hung: the heartbeat ends. */
  readonly forMs: number
  /** May not throw. */
  readonly beat: () => Promise<void>
}

/** Does the work, and beats as long as it takes. Afterwards no beat is under way any more. */
export async function withHeartbeat<Result>(heartbeat: Heartbeat, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController()
  // A reason of its own: without one a new exception is made each time, and most work is over at once.
  const beating = beatUntil(heartbeat, over.signal)
  try {
    return await work()
  } finally {
    over.abort(workIsOver)
    await beating
  }
}

const workIsOver = new Error('the work is over')

async function beatUntil({ clock, everyMs, forMs, beat }: Heartbeat, over: AbortSignal): Promise<void> {
  const beatsMax = Math.floor(forMs / everyMs)
  for (let beats = 0; beats < beatsMax; beats++) {
    try {
      await sleep(clock, everyMs, over)
    } catch {
      return
    }
    await beat()
  }
}
