import { breath, type InBreaths } from '../plugin.ts'
import type { PodView } from '../view.ts'
import { selects, Terms, type NamespaceLabels, type Term } from './affinity-term.ts'
import { CarriedTerms, type CarriedTerm } from './carried-terms.ts'
import type { Cohort, Cohorts } from './cohorts.ts'
import { DomainCounts } from './domain-counts.ts'
import type { FitRule, Newcomer, Share } from './fit-rule.ts'
import { nowhere, type Topology } from './topology.ts'

interface NumberedCounts {
  readonly number: number
  readonly counts: DomainCounts
  /** For pods that are counted themselves, and for pods that are not. */
  readonly rules: Map<boolean, FitRule>
}

const cohortsBetweenBreaths = 1_000
const termsBetweenBreaths = 1_000

/** Required affinity and anti-affinity between pods, over whole domains, as the scheduler sees it. */
export class PodAffinity {
  readonly #topology: Topology
  readonly #cohorts: Cohorts
  readonly #labelsOf: NamespaceLabels
  /** Of the pods that a term is about. */
  readonly #targets = new Map<Term, NumberedCounts>()
  /** Of the pods that have a term. */
  readonly #carriers = new Map<Term, NumberedCounts>()
  /** Of the pods that all terms of an affinity are about. */
  readonly #groups = new Map<string, NumberedCounts>()
  #countsMade = 0
  readonly #terms = new Terms()
  readonly #carried: CarriedTerms

  constructor(topology: Topology, cohorts: Cohorts, labelsOf: NamespaceLabels) {
    this.#topology = topology
    this.#cohorts = cohorts
    this.#labelsOf = labelsOf
    this.#carried = new CarriedTerms(labelsOf)
  }

  /** Takes in the anti-affinity of all pods. */
  *prepare(): InBreaths<void> {
    for (const [index, cohort] of this.#cohorts.listIn(undefined).entries()) {
      for (const term of this.#terms.of(cohort.template.antiAffinity, cohort)) this.#carried.add(term, cohort)
      if (index % cohortsBetweenBreaths === 0) yield breath
    }
  }

  *rulesFor(pod: Newcomer): InBreaths<readonly FitRule[]> {
    const own = this.#terms.of(pod.template.antiAffinity, pod)
    const rules: FitRule[] = []
    for (const term of own) rules.push(yield* this.#awayFromOthers(term, pod))
    for (const [index, carried] of (yield* this.#carried.about(pod)).entries()) {
      rules.push(yield* this.#keptAwayByOthers(carried, own))
      if (index % termsBetweenBreaths === termsBetweenBreaths - 1) yield breath
    }
    rules.push(...(yield* this.#nearOthers(pod)))
    return rules
  }

  *#awayFromOthers(term: Term, pod: Newcomer): InBreaths<FitRule> {
    const counted = yield* this.#countsIn(this.#targets, term, term.topologyKey, () => this.#selectedBy([term]))
    return repulsion(counted, {
      isCounted: selects(term, pod, this.#labelsOf),
      words: 'is near a pod that its anti-affinity keeps it away from',
    })
  }

  *#keptAwayByOthers({ term, carriers }: CarriedTerm, own: readonly Term[]): InBreaths<FitRule> {
    const counted = yield* this.#countsIn(this.#carriers, term, term.topologyKey, carriers)
    return repulsion(counted, {
      isCounted: own.includes(term),
      words: 'is near a pod whose anti-affinity keeps it away',
    })
  }

  /** Only a pod that all terms are about counts for any of them. */
  *#nearOthers(pod: Newcomer): InBreaths<readonly FitRule[]> {
    if (pod.template.podAffinity.length === 0) return []
    const terms = this.#terms.of(pod.template.podAffinity, pod)
    const keys = [...new Set(terms.map(({ topologyKey }) => topologyKey))]
    const group = terms.map(({ key }) => key).join(' ')
    const all: NumberedCounts[] = []
    for (const key of keys) {
      all.push(yield* this.#countsIn(this.#groups, `${key} ${group}`, key, () => this.#selectedBy(terms)))
    }
    const isCounted = terms.every((term) => selects(term, pod, this.#labelsOf))
    return all.map((counted) => attraction(counted, { all, isCounted }))
  }

  *#countsIn<Key>(
    known: Map<Key, NumberedCounts>,
    key: Key,
    topologyKey: string,
    members: readonly Cohort[] | (() => InBreaths<readonly Cohort[]>),
  ): InBreaths<NumberedCounts> {
    let numbered = known.get(key)
    if (numbered === undefined) {
      const counted = { topologyKey, members: typeof members === 'function' ? yield* members() : members }
      const counts = yield* DomainCounts.build(this.#topology, this.#cohorts, counted)
      numbered = { number: this.#countsMade++, counts, rules: new Map() }
      known.set(key, numbered)
    }
    return numbered
  }

  *#selectedBy(terms: readonly Term[]): InBreaths<readonly Cohort[]> {
    const [first] = terms
    if (first === undefined) return []
    const places = first.namespaceSelector === undefined ? new Set(first.namespaces) : [undefined]
    const selected: Cohort[] = []
    for (const namespace of places) {
      for (const [index, cohort] of (yield* this.#cohorts.selectedBy(first.selector, namespace)).entries()) {
        if (terms.every((term) => selects(term, cohort, this.#labelsOf))) selected.push(cohort)
        if (index % cohortsBetweenBreaths === cohortsBetweenBreaths - 1) yield breath
      }
    }
    return selected
  }
}

/** `isCounted`: the pod that asks is one of those that count, as long as it is there. */
function repulsion(
  { number, counts, rules }: NumberedCounts,
  { isCounted, words }: { readonly isCounted: boolean; readonly words: string },
): FitRule {
  const known = rules.get(isCounted)
  if (known !== undefined) return known
  const rule: FitRule = {
    key: `away ${number} ${isCounted}`,
    get version() {
      return counts.version
    },
    shareOf: (pod) => ({ own: isCounted ? lastIn(counts, pod) : nowhere, floor: 0 }),
    misfitAt: (position, { own }) => {
      const domain = counts.domainAt(position)
      return domain === nowhere || domain === own || counts.countIn(domain) === 0 ? undefined : words
    },
  }
  rules.set(isCounted, rule)
  return rule
}

interface AttractionChoices {
  /** Of the same pods, by all keys. */
  readonly all: readonly NumberedCounts[]
  readonly isCounted: boolean
}

function attraction({ number, counts, rules }: NumberedCounts, { all, isCounted }: AttractionChoices): FitRule {
  const known = rules.get(isCounted)
  if (known !== undefined) return known
  const others = (pod: PodView) =>
    all.reduce((sum, one) => sum + one.counts.total - Number(isCounted && one.counts.domainOf(pod) !== nowhere), 0)
  const rule: FitRule = {
    key: `near ${number} ${isCounted}`,
    get version() {
      return all.reduce((sum, one) => sum + one.counts.version, 0)
    },
    shareOf: (pod): Share => ({
      own: isCounted ? lastIn(counts, pod) : nowhere,
      // The first pod of a group that wants to be together has no other to join.
      floor: isCounted && others(pod) === 0 ? 0 : 1,
    }),
    misfitAt: (position, { own, floor }) => {
      const domain = counts.domainAt(position)
      if (domain === nowhere) return 'has no label that its affinity to pods asks for'
      const count = domain === own ? 0 : counts.countIn(domain)
      return count < floor ? 'is not near the pods that its affinity asks for' : undefined
    },
  }
  rules.set(isCounted, rule)
  return rule
}

/** The domain that is without such pods once this one has left. */
function lastIn(counts: DomainCounts, pod: PodView): number {
  const domain = counts.domainOf(pod)
  return domain !== nowhere && counts.countIn(domain) === 1 && !counts.isOneNode(domain) ? domain : nowhere
}
