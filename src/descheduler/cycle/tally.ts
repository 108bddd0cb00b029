import type { Outcome } from '../plugin.ts'
import type { Limits } from '../policy/policy.ts'
import type { PodView } from '../view.ts'

type Place = Pick<PodView, 'nodeName' | 'namespace'>
export type LimitReached = Extract<Outcome, 'nodeLimit' | 'namespaceLimit' | 'totalLimit'>

/** Counts who is on the way, from before this cycle and because of it, against the limits of the policy. */
export class Tally {
  readonly #limits: Limits
  readonly #byNode = new Map<string, number>()
  readonly #byNamespace = new Map<string, number>()
  #total = 0

  /** `underWay`: the pods whose request still stands, no matter which component asked. */
  constructor(limits: Limits, underWay: Iterable<Place>) {
    this.#limits = limits
    for (const place of underWay) this.add(place)
  }

  get total(): number {
    return this.#total
  }

  add({ nodeName, namespace }: Place): void {
    this.#byNode.set(nodeName, (this.#byNode.get(nodeName) ?? 0) + 1)
    this.#byNamespace.set(namespace, (this.#byNamespace.get(namespace) ?? 0) + 1)
    this.#total++
  }

  /** The limit that one more would break, in the order in which upstream looks. */
  limitFor({ nodeName, namespace }: Place): LimitReached | undefined {
    const { total, perNode, perNamespace } = this.#limits
    if (isReached(this.#total, total)) return 'totalLimit'
    if (isReached(this.#byNode.get(nodeName) ?? 0, perNode)) return 'nodeLimit'
    if (isReached(this.#byNamespace.get(namespace) ?? 0, perNamespace)) return 'namespaceLimit'
    return undefined
  }
}

function isReached(count: number, max: number | undefined): boolean {
  return max !== undefined && count + 1 > max
}
