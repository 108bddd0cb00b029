import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Limits } from '../policy/policy.ts'
import { isLive } from '../requests.ts'
import { Tally, type LimitReached } from './tally.ts'
import type { PodView } from '../view.ts'

/**
 * Counts who is on the way while a cycle runs: others ask for pods at the same time, and their requests count as soon
 * as they are seen.
 */
export class LiveLimits {
  readonly #tally: Tally
  readonly #counted: Set<string>
  readonly #podOf: (uid: string) => PodView | undefined

  constructor(limits: Limits, pods: readonly PodView[], leaving: ReadonlySet<string>) {
    const onTheWay = pods.filter(({ uid }) => leaving.has(uid))
    this.#tally = new Tally(limits, onTheWay)
    this.#counted = new Set(onTheWay.map(({ uid }) => uid))
    let byUid: ReadonlyMap<string, PodView> | undefined
    this.#podOf = (uid) => (byUid ??= new Map(pods.map((pod) => [pod.uid, pod]))).get(uid)
  }

  limitFor(pod: PodView): LimitReached | undefined {
    return this.#tally.limitFor(pod)
  }

  /** Asked for by us, or by another component. */
  count(pod: PodView): void {
    if (this.#counted.has(pod.uid)) return
    this.#counted.add(pod.uid)
    this.#tally.add(pod)
  }

  /** An Evacuation that has just come to be. One of a pod that came later is on the next view. */
  note(evacuation: Evacuation): void {
    const pod = isLive(evacuation) ? this.#podOf(evacuation.spec.podRef.uid) : undefined
    if (pod !== undefined) this.count(pod)
  }
}
