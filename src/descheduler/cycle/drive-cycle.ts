import type { Clock } from '../../runtime/clock.ts'
import type { Asked, Asking } from '../asking.ts'
import type { Answer, Cycle, CycleReport, Strategy } from './cycle.ts'
import { breath } from '../plugin.ts'
import type { LimitReached } from './tally.ts'
import type { PodView } from '../view.ts'

export interface DriveParts {
  readonly asking: Asking
  readonly clock: Clock
  /** Lets everything else that is ready run first. */
  readonly turn: () => Promise<void>
  readonly signal: AbortSignal
  /** The limit that one more would break by now. */
  readonly limitFor?: (pod: PodView) => LimitReached | undefined
  readonly onAsked?: (pod: PodView, strategy: Strategy, asked: Asked) => void
  /** How long a strategy took, the requests included. */
  readonly onEnded?: (strategy: Strategy, elapsedMs: number) => void
}

/** A cycle computes for so long at a time, far less than others notice. */
const stretchMs = 10

/** Sees a cycle through: asks for the pods that it names, one after the other, and tells it what became of each. */
export async function driveCycle(cycle: Cycle, parts: DriveParts): Promise<CycleReport> {
  const { clock, signal } = parts
  const times = new StrategyTimes(parts)
  let restedMs = clock.monotonicMs()
  let answer: Answer | undefined
  for (;;) {
    signal.throwIfAborted()
    const next = cycle.next(answer)
    answer = undefined
    if (next.done === true) {
      times.end()
      return next.value
    }
    const step = next.value
    if (step !== breath && step.kind === 'begins') times.begin(step)
    // An answer may be there at once, as in a dry run: waiting for it gives no other task a turn.
    if (step !== breath && step.kind === 'asks') answer = await ask(step, parts)
    if (clock.monotonicMs() - restedMs < stretchMs) continue
    await parts.turn()
    restedMs = clock.monotonicMs()
  }
}

async function ask(
  { pod, profile, strategy }: Strategy & { readonly pod: PodView },
  parts: DriveParts,
): Promise<Answer> {
  const limit = parts.limitFor?.(pod)
  if (limit !== undefined) return { kind: 'limit', limit }
  const asked = await parts.asking.ask(pod, { profile, strategy }, parts.signal)
  parts.onAsked?.(pod, { profile, strategy }, asked)
  return asked.kind === 'refused' ? asked : { kind: 'requested' }
}

class StrategyTimes {
  readonly #parts: DriveParts
  #current: (Strategy & { readonly beganMs: number }) | undefined

  constructor(parts: DriveParts) {
    this.#parts = parts
  }

  begin({ profile, strategy }: Strategy): void {
    this.end()
    this.#current = { profile, strategy, beganMs: this.#parts.clock.monotonicMs() }
  }

  end(): void {
    if (this.#current === undefined) return
    const { beganMs, ...strategy } = this.#current
    this.#parts.onEnded?.(strategy, this.#parts.clock.monotonicMs() - beganMs)
    this.#current = undefined
  }
}
