import type { EvacuationKey } from '../evacuation-client/evacuation-key.ts'
import { idOf } from '../api/kubernetes/object-id.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Clock } from '../runtime/clock.ts'
import { reportLimits, type ReportHistory } from './report.ts'

/** What is remembered of a turn. Losing it costs a write, and nothing else. */
export interface TurnMemory {
  readonly uid: string
  readonly kind: 'step' | 'cancel'
  history: ReportHistory
  started: boolean
  failing: boolean
  refusals: number
  /** When an eviction was accepted: what it comes to shows in a moment. */
  evictedAtMs?: number
}

/** Long enough for a watch that is late. */
const evictionShowsMs = 10_000

/** One for each Evacuation whose turn is on. */
export class TurnMemories {
  readonly #clock: Clock
  readonly #sparing: boolean
  readonly #memories = new Map<string, TurnMemory>()

  constructor(clock: Clock, sparing: boolean) {
    this.#clock = clock
    this.#sparing = sparing
  }

  of({ key, uid }: { readonly key: EvacuationKey; readonly uid: string }, kind: TurnMemory['kind']): TurnMemory {
    const known = this.#memories.get(idOf(key))
    if (known?.uid === uid && known.kind === kind) return known
    const quietMs = reportLimits.quietMs + this.#memories.size * reportLimits.quietPerTurnMs
    const history = this.#sparing ? { quietUntilMs: this.#clock.monotonicMs() + quietMs } : {}
    const memory = { uid, kind, history, started: false, failing: false, refusals: 0 }
    this.#memories.set(idOf(key), memory)
    return memory
  }

  forget(key: EvacuationKey): void {
    this.#memories.delete(idOf(key))
  }

  /** How long it may take until an eviction that was accepted shows. Until then there is nothing to look at. */
  evictionShowsInMs(key: EvacuationKey, { metadata }: Evacuation): number {
    const memory = this.#memories.get(idOf(key))
    const isOf = memory?.uid === metadata.uid && metadata.deletionTimestamp === undefined
    if (memory?.evictedAtMs === undefined || !isOf) return 0
    return memory.evictedAtMs + evictionShowsMs - this.#clock.monotonicMs()
  }
}
