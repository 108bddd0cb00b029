import type { PodView } from '../view.ts'
import type { Cohort, Cohorts, Watcher } from './cohorts.ts'
import { nowhere, type Domains, type Topology } from './topology.ts'

export interface CountedPods {
  readonly topologyKey: string
  /** All of their pods count, apart from those that have left. */
  readonly members: readonly Cohort[]
  /** Which of them count at all; all if left out. */
  readonly counts?: (pod: PodView, position: number) => boolean
}

/** How many of certain pods are in each domain, up to date while pods leave. */
export class DomainCounts implements Watcher {
  readonly #topology: Topology
  readonly #cohorts: Cohorts
  readonly #isOfInterest: NonNullable<CountedPods['counts']>
  readonly #domains: Domains
  /** Domains without such a pod from the beginning are not there. */
  readonly #counts = new Map<number, number>()
  #total = 0
  #lowest = Infinity
  #version = 0

  constructor(topology: Topology, cohorts: Cohorts, { topologyKey, members, counts = () => true }: CountedPods) {
    this.#topology = topology
    this.#cohorts = cohorts
    this.#isOfInterest = counts
    this.#domains = topology.domainsBy(topologyKey)
    for (const cohort of members) {
      for (const pod of cohort.pods) this.#admit(pod)
      cohort.watchers.push(this)
    }
    for (const count of this.#counts.values()) this.#lowest = Math.min(this.#lowest, count)
  }

  /** Grows with every pod that leaves. */
  get version(): number {
    return this.#version
  }

  get total(): number {
    return this.#total
  }

  domainAt(position: number): number {
    return this.#domains.ofNodes[position] ?? nowhere
  }

  /** Whether a node that is in the domain is the only one. */
  isOneNode(domain: number): boolean {
    return this.#domains.sizes[domain] === 1
  }

  countIn(domain: number): number {
    return this.#counts.get(domain) ?? 0
  }

  /** The smallest count, where there are so many domains. */
  lowestOf(domains: number): number {
    return this.#counts.size < domains ? 0 : this.#lowest
  }

  /** The domain in which a pod of one of the members counts; nowhere once it has left. */
  domainOf(pod: PodView): number {
    if (!this.#cohorts.isThere(pod)) return nowhere
    const position = this.#topology.positionOf(pod.nodeName)
    return this.#isOfInterest(pod, position) ? this.domainAt(position) : nowhere
  }

  remove(pod: PodView): void {
    const position = this.#topology.positionOf(pod.nodeName)
    const domain = this.#isOfInterest(pod, position) ? this.domainAt(position) : nowhere
    if (domain === nowhere) return
    const count = this.countIn(domain) - 1
    this.#counts.set(domain, count)
    this.#lowest = Math.min(this.#lowest, count)
    this.#total--
    this.#version++
  }

  #admit(pod: PodView): void {
    const domain = this.domainOf(pod)
    if (domain === nowhere) return
    this.#counts.set(domain, this.countIn(domain) + 1)
    this.#total++
  }
}
