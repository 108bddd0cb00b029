import type { Clock } from '../runtime/clock.ts'

/** A watch that has not shown a request after so long never will: the Evacuation was gone before. */
const patienceMs = 60_000

/** What we asked for and the watch has not shown yet: the next cycle must count it all the same. */
export class OwnRequests {
  readonly #clock: Clock
  readonly #askedMs = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(uid: string): void {
    this.#askedMs.set(uid, this.#clock.monotonicMs())
  }

  /** The UIDs of pods that are not among `seen` yet. */
  unseen(seen: ReadonlySet<string>): readonly string[] {
    const nowMs = this.#clock.monotonicMs()
    for (const [uid, askedMs] of this.#askedMs) {
      if (seen.has(uid) || nowMs - askedMs > patienceMs) this.#askedMs.delete(uid)
    }
    return [...this.#askedMs.keys()]
  }
}
