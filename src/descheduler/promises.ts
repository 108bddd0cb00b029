import { isActive } from './cycle/pods-listed.ts'
import type { PodView } from './view.ts'

// Evictions in the background, without the Evacuation API: pods that another component has promised to take away.

/** A promise that shows no sign of being kept counts for so long. */
const promiseMs = 10 * 60_000

export interface PromisedPods {
  /** UIDs of pods that are on their way. */
  readonly leaving: ReadonlySet<string>
  /** By UID, when a promise was made that is still to be remembered. */
  readonly openMs: ReadonlyMap<string, number>
}

/** A mark on the pod takes the place of the promise: who removes it has given up. */
export function promisedAmong(
  pods: readonly PodView[],
  promisedMs: ReadonlyMap<string, number>,
  nowMs: number,
): PromisedPods {
  const leaving = new Set<string>()
  const openMs = new Map<string, number>()
  for (const pod of pods) {
    if (!isActive(pod)) continue
    if (pod.marks.requestEvictOnly && pod.marks.evictionInProgress) {
      leaving.add(pod.uid)
      continue
    }
    const madeMs = promisedMs.get(pod.uid)
    // Clocks of two processes may differ: one that was made far in the future must not stand until then.
    if (madeMs === undefined || Math.abs(nowMs - madeMs) > promiseMs) continue
    openMs.set(pod.uid, madeMs)
    leaving.add(pod.uid)
  }
  return { leaving, openMs }
}
