import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { byPriorityThenClass } from '../api/evacuation/evacuator.ts'
import { idOfObject } from '../api/kubernetes/object-id.ts'
import type { EvacuationMetrics } from './metrics.ts'

/** How the turn of an evacuator ended: it completed, it was silent for too long, or the pod is gone. */
export type TurnOutcome = 'completed' | 'silent' | 'gone'

/** What this process has seen of the evacuator that has its turn. */
export interface SeenTurn {
  /** Of the Evacuation: a later one may have the same name. */
  readonly uid: string
  readonly evacuatorClass: string | undefined
  /** Undefined: the turn began before this process led, and nothing says when. */
  readonly sinceMs: number | undefined
  readonly isOver: boolean
}

export interface EndedTurn {
  readonly evacuatorClass: string
  readonly outcome: TurnOutcome
  readonly elapsedMs: number
}

/**
 * What is known of the turn now, and the turn that has ended just now. After a restart, the turn of the first evacuator
 * counts from the creation of the Evacuation, which is when it was selected. Of a later one the beginning is unknown: it
 * is not counted.
 */
export function seeTurn(
  before: SeenTurn | undefined,
  { evacuation, isGone }: { readonly evacuation: Evacuation; readonly isGone: boolean },
  nowMs: number,
): { readonly turn: SeenTurn; readonly ended?: EndedTurn } {
  const known = before?.uid === evacuation.metadata.uid ? before : undefined
  const { activeEvacuatorClass: evacuatorClass, activeEvacuatorCompleted } = evacuation.status ?? {}
  const isSame = known !== undefined && known.evacuatorClass === evacuatorClass
  const sinceMs = isSame ? known.sinceMs : beginOf(evacuation, known, nowMs)
  const hasCompleted = activeEvacuatorCompleted === true
  const isOver = isGone || hasCompleted || (isSame && known.isOver)
  const turn = { uid: evacuation.metadata.uid, evacuatorClass, sinceMs, isOver }
  if (known !== undefined && !isSame) return { turn, ...ended(known, 'silent', nowMs) }
  if (!isOver) return { turn }
  const current = { ...turn, isOver: known?.isOver ?? false }
  return { turn, ...ended(current, hasCompleted ? 'completed' : 'gone', nowMs) }
}

function beginOf({ metadata, spec, status }: Evacuation, known: SeenTurn | undefined, nowMs: number) {
  if (known !== undefined) return nowMs
  const [first] = (spec.evacuators ?? []).toSorted(byPriorityThenClass)
  const createdMs = Date.parse(metadata.creationTimestamp ?? '')
  const isFirst = first?.evacuatorClass === status?.activeEvacuatorClass && !Number.isNaN(createdMs)
  return isFirst ? createdMs : undefined
}

function ended(turn: SeenTurn, outcome: TurnOutcome, nowMs: number): { readonly ended?: EndedTurn } {
  const { evacuatorClass, sinceMs, isOver } = turn
  if (evacuatorClass === undefined || sinceMs === undefined || isOver) return {}
  return { ended: { evacuatorClass, outcome, elapsedMs: Math.max(0, nowMs - sinceMs) } }
}

/** Counts how long evacuators have their turns. Lives as long as this process leads: only metrics depend on it. */
export class EvacuatorTurns {
  readonly #metrics: EvacuationMetrics
  readonly #turns = new Map<string, SeenTurn>()

  constructor(metrics: EvacuationMetrics) {
    this.#metrics = metrics
  }

  /** The turn of its last evacuator passes on to the eviction, though it did not complete. */
  fellSilent(evacuation: Evacuation, nowMs: number): void {
    const key = idOfObject(evacuation)
    const turn = this.#turns.get(key)
    if (turn?.uid !== evacuation.metadata.uid || evacuation.status?.activeEvacuatorCompleted === true) return
    this.#turns.set(key, { ...turn, isOver: true })
    const { ended: end } = ended(turn, 'silent', nowMs)
    if (end !== undefined) this.#metrics.turnEnded(end)
  }

  see(evacuation: Evacuation, isGone: boolean, nowMs: number): void {
    const key = idOfObject(evacuation)
    const { turn, ended: end } = seeTurn(this.#turns.get(key), { evacuation, isGone }, nowMs)
    this.#turns.set(key, turn)
    if (end !== undefined) this.#metrics.turnEnded(end)
  }

  forget(key: string): void {
    this.#turns.delete(key)
  }
}
