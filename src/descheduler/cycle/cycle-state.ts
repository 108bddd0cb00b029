import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { onePod } from '../fit/node-fit.ts'
import { byName } from './orders.ts'
import { breath } from '../plugin.ts'
import { isActive } from './pods-listed.ts'
import type { ClusterView, PodView } from '../view.ts'

/** The pods of a frozen view on their nodes, without those that have been sent away since the cycle began. */
export class CycleState {
  readonly #podsByNode = new Map<string, PodView[]>()
  /** Nodes whose pods are in order. */
  readonly #sorted = new Set<string>()
  readonly #usedByNode = new Map<string, Amounts>()
  /** In every phase: a set with too few pods is one with too few in all. */
  readonly #countByOwner = new Map<string, number>()
  readonly #vacated: string[] = []
  readonly #departed: PodView[] = []

  constructor({ pods }: Pick<ClusterView, 'pods'>) {
    for (const pod of pods) this.#take(pod)
  }

  /** The same, with a breath now and then. */
  static *build({ pods }: Pick<ClusterView, 'pods'>): Generator<typeof breath, CycleState, unknown> {
    const state = new CycleState({ pods: [] })
    for (const [index, pod] of pods.entries()) {
      state.#take(pod)
      if (index % podsBetweenBreaths === 0) yield breath
    }
    return state
  }

  /** By namespace and name. */
  podsOn(node: string): readonly PodView[] {
    const pods = this.#podsByNode.get(node)
    if (pods === undefined) return []
    if (!this.#sorted.has(node)) {
      // oxlint-disable-next-line unicorn/no-array-sort -- the array is this object's own, and large
      pods.sort(byName)
      this.#sorted.add(node)
    }
    return pods
  }

  /** What its active pods request together, and their number. */
  usedOn(node: string): Amounts {
    const known = this.#usedByNode.get(node)
    if (known !== undefined) return known
    const used = new Map<string, number>([['pods', 0]])
    const add = (resource: string, amount: number) => used.set(resource, (used.get(resource) ?? 0) + amount)
    for (const pod of this.#podsByNode.get(node) ?? []) {
      if (!isActive(pod)) continue
      for (const [resource, amount] of pod.template.requests) add(resource, amount)
      add('pods', onePod)
    }
    this.#usedByNode.set(node, used)
    return used
  }

  countOfOwner(uid: string): number {
    return this.#countByOwner.get(uid) ?? 0
  }

  /** The node of each pod that was sent away, in that order. */
  get vacated(): readonly string[] {
    return this.#vacated
  }

  /** The pods themselves, in the same order. */
  get departed(): readonly PodView[] {
    return this.#departed
  }

  /** Plugins that come later, and the room on its node, count without it. */
  sendAway(pod: PodView): void {
    const rest = this.podsOn(pod.nodeName).filter(({ uid }) => uid !== pod.uid)
    this.#podsByNode.set(pod.nodeName, rest)
    this.#usedByNode.delete(pod.nodeName)
    this.#vacated.push(pod.nodeName)
    this.#departed.push(pod)
    for (const { uid } of pod.template.owners) this.#countByOwner.set(uid, this.countOfOwner(uid) - 1)
  }

  #take(pod: PodView): void {
    const onNode = this.#podsByNode.get(pod.nodeName)
    if (onNode === undefined) this.#podsByNode.set(pod.nodeName, [pod])
    else onNode.push(pod)
    for (const { uid } of pod.template.owners) this.#countByOwner.set(uid, this.countOfOwner(uid) + 1)
  }
}

const podsBetweenBreaths = 5_000
