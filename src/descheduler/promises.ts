import type { Clock } from '../runtime/clock.ts'
import { isActive } from './pods-listed.ts'
import type { PodView } from './view.ts'

/** A promise that shows no sign of being kept counts for so long. */
const promiseMs = 10 * 60_000

/**
 * Evictions in the background, without the Evacuation API: pods that somebody has promised to take away. A mark on the
 * pod takes the place of the promise: who removes it has given up. A restart forgets promises without a mark; asking
 * again is answered with the same promise.
 */
export class Promises {
  readonly #clock: Clock
  readonly #madeMs = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note({ uid }: PodView): void {
    this.#madeMs.set(uid, this.#clock.monotonicMs())
  }

  /** The UIDs of those that are on their way; forgets promises that were kept, or not. */
  leaving(pods: readonly PodView[]): Set<string> {
    const found = new Set<string>()
    const stillOpen = new Map<string, number>()
    for (const pod of pods) {
      if (!isActive(pod)) continue
      if (pod.marks.requestEvictOnly && pod.marks.evictionInProgress) {
        found.add(pod.uid)
        continue
      }
      const madeMs = this.#madeMs.get(pod.uid)
      if (madeMs === undefined || this.#clock.monotonicMs() - madeMs > promiseMs) continue
      stillOpen.set(pod.uid, madeMs)
      found.add(pod.uid)
    }
    this.#madeMs.clear()
    for (const [uid, madeMs] of stillOpen) this.#madeMs.set(uid, madeMs)
    return found
  }
}
