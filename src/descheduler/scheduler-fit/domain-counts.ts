import { breath, type InBreaths } from '../plugin.ts'
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
  readonly #counts: Numbers
  /** Domains that had such a pod at the beginning. */
  #occupied = 0
  #total = 0
  #lowest = Infinity
  #version = 0

  private constructor(topology: Topology, cohorts: Cohorts, { topologyKey, members, counts }: CountedPods) {
    this.#topology = topology
    this.#cohorts = cohorts
    this.#isOfInterest = counts ?? (() => true)
    this.#domains = topology.domainsBy(topologyKey)
    const pods = members.reduce((sum, cohort) => sum + cohort.pods.length, 0)
    this.#counts = numbersFor(this.#domains.sizes.length, pods)
  }

  static *build(topology: Topology, cohorts: Cohorts, counted: CountedPods): InBreaths<DomainCounts> {
    const counts = new DomainCounts(topology, cohorts, counted)
    yield* counts.#admit(counted.members)
    return counts
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
    return this.#occupied < domains ? 0 : this.#lowest
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

  *#admit(members: readonly Cohort[]): InBreaths<void> {
    let taken = 0
    for (const cohort of members) {
      for (let from = 0; from < cohort.pods.length; from += podsBetweenBreaths) {
        const end = Math.min(from + podsBetweenBreaths, cohort.pods.length)
        this.#admitSome(cohort, from, end)
        taken += end - from
        if (taken < podsBetweenBreaths) continue
        taken = 0
        yield breath
      }
      cohort.watchers.push(this)
    }
    for (const count of this.#counts.values()) if (count > 0) this.#lowest = Math.min(this.#lowest, count)
  }

  /** Pods of a cohort from one place in its list up to another. */
  #admitSome({ pods, positions }: Cohort, from: number, end: number): void {
    for (let index = from; index < end; index++) {
      const [pod, position] = [pods[index], positions[index] ?? nowhere]
      if (pod === undefined || position === nowhere || this.#cohorts.hasLeft(pod)) continue
      const domain = this.#isOfInterest(pod, position) ? this.domainAt(position) : nowhere
      if (domain === nowhere) continue
      const count = this.countIn(domain) + 1
      this.#counts.set(domain, count)
      if (count === 1) this.#occupied++
      this.#total++
    }
  }
}

/** A number for each domain; one that was never set is 0 or missing. */
interface Numbers {
  get(domain: number): number | undefined
  set(domain: number, count: number): unknown
  values(): Iterable<number>
}

/** Host names make thousands of domains. A few pods are in few of them, and many pods in nearly all. */
function numbersFor(domains: number, pods: number): Numbers {
  if (pods < domains / 4) return new Map<number, number>()
  const numbers = new Int32Array(domains)
  return {
    get: (domain) => numbers[domain],
    set: (domain, count) => (numbers[domain] = count),
    values: () => numbers.values(),
  }
}

const podsBetweenBreaths = 5_000
