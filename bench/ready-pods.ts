import type { Pod } from '../src/api/kubernetes/core.ts'
import { isReady } from '../src/api/kubernetes/pod-availability.ts'

/** The pods of each application that are Ready and not on their way out. */
export class ReadyPods {
  readonly #ready = new Map<string, Set<string>>()

  /** How many the application has now. */
  note(app: string, pod: Pod, gone: boolean): number {
    const set = this.#ready.get(app) ?? new Set()
    this.#ready.set(app, set)
    const uid = pod.metadata.uid
    if (!gone && isReady(pod)) set.add(uid)
    else set.delete(uid)
    return set.size
  }
}
