import type { Amounts } from '../api/pod-requests.ts'
import { onePod } from './node-fit.ts'
import { isActive } from './pods-listed.ts'
import type { ClusterView, PodView } from './view.ts'

/** The pods of a frozen view on their nodes, without those that have been sent away since the cycle began. */
export class CycleState {
  readonly #podsByNode = new Map<string, PodView[]>()
  readonly #usedByNode = new Map<string, Amounts>()
  /** In every phase: a set with too few pods is one with too few in all. */
  readonly #countByOwner = new Map<string, number>()

  constructor({ pods }: Pick<ClusterView, 'pods'>) {
    for (const pod of pods) {
      const onNode = this.#podsByNode.get(pod.nodeName)
      if (onNode === undefined) this.#podsByNode.set(pod.nodeName, [pod])
      else onNode.push(pod)
      for (const { uid } of pod.template.owners) this.#countByOwner.set(uid, this.countOfOwner(uid) + 1)
    }
  }

  podsOn(node: string): readonly PodView[] {
    return this.#podsByNode.get(node) ?? []
  }

  /** What its active pods request together, and their number. */
  usedOn(node: string): Amounts {
    const known = this.#usedByNode.get(node)
    if (known !== undefined) return known
    const used = new Map<string, number>([['pods', 0]])
    const add = (resource: string, amount: number) => used.set(resource, (used.get(resource) ?? 0) + amount)
    for (const { template } of this.podsOn(node).filter(isActive)) {
      for (const [resource, amount] of template.requests) add(resource, amount)
      add('pods', onePod)
    }
    this.#usedByNode.set(node, used)
    return used
  }

  countOfOwner(uid: string): number {
    return this.#countByOwner.get(uid) ?? 0
  }

  /** Plugins that come later, and the room on its node, count without it. */
  sendAway(pod: PodView): void {
    const rest = this.podsOn(pod.nodeName).filter(({ uid }) => uid !== pod.uid)
    this.#podsByNode.set(pod.nodeName, rest)
    this.#usedByNode.delete(pod.nodeName)
    for (const { uid } of pod.template.owners) this.#countByOwner.set(uid, this.countOfOwner(uid) - 1)
  }
}
