import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { labelOf } from '../../api/kubernetes/label-selector.ts'
import { breath, type InBreaths } from '../plugin.ts'
import { selects, type NamespaceLabels, type Term } from './affinity-term.ts'
import type { Cohort } from './cohorts.ts'
import type { Newcomer } from './fit-rule.ts'

/** A term of required anti-affinity, and the pods that have it. */
export interface CarriedTerm {
  readonly term: Term
  readonly carriers: Cohort[]
}

/** Finds the terms that are about a pod without a look at each of them. */
export class CarriedTerms {
  readonly #labelsOf: NamespaceLabels
  readonly #known = new Map<Term, CarriedTerm>()
  /** By namespace; undefined: terms that select namespaces. */
  readonly #shelves = new Map<string | undefined, Shelf>()

  constructor(labelsOf: NamespaceLabels) {
    this.#labelsOf = labelsOf
  }

  add(term: Term, cohort: Cohort): void {
    const known = this.#known.get(term)
    if (known !== undefined) {
      // A pod with the same term twice counts once.
      if (known.carriers.at(-1) !== cohort) known.carriers.push(cohort)
      return
    }
    const carried: CarriedTerm = { term, carriers: [cohort] }
    this.#known.set(term, carried)
    const { namespaces, namespaceSelector, selector } = term
    if (selector === undefined) return
    for (const namespace of namespaceSelector === undefined ? new Set(namespaces) : [undefined]) {
      let shelf = this.#shelves.get(namespace)
      if (shelf === undefined) this.#shelves.set(namespace, (shelf = { byLabel: new Map(), rest: [] }))
      putOn(shelf, carried, selector)
    }
  }

  *about(pod: Newcomer): InBreaths<readonly CarriedTerm[]> {
    const about: CarriedTerm[] = []
    let looked = 0
    for (const carried of this.#candidatesFor(pod)) {
      if (selects(carried.term, pod, this.#labelsOf)) about.push(carried)
      if (++looked % termsBetweenBreaths === 0) yield breath
    }
    return about
  }

  *#candidatesFor(pod: Newcomer): Generator<CarriedTerm, void, undefined> {
    for (const namespace of [pod.namespace, undefined]) {
      const shelf = this.#shelves.get(namespace)
      if (shelf === undefined) continue
      for (const [key, byValue] of shelf.byLabel) {
        const value = labelOf(pod.template.labels, key)
        if (value !== undefined) yield* byValue.get(value) ?? []
      }
      yield* shelf.rest
    }
  }
}

const termsBetweenBreaths = 2_000

interface Shelf {
  /** A term is under the key of one label that its pods must have, under each value that is allowed. */
  readonly byLabel: Map<string, Map<string, CarriedTerm[]>>
  /** Those that ask for no certain label. */
  readonly rest: CarriedTerm[]
}

function putOn({ byLabel, rest }: Shelf, carried: CarriedTerm, selector: LabelSelector): void {
  const { matchLabels = {}, matchExpressions = [] } = selector
  const choices = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, values: [value] })),
    ...matchExpressions
      .filter(({ operator }) => operator === 'In')
      .map(({ key, values = [] }) => ({ key, values: [...new Set(values)] })),
  ]
  // Where the fewest terms are: a label that all pods of a namespace have tells little.
  const crowd = ({ key, values }: (typeof choices)[number]) =>
    values.reduce((sum, value) => sum + (byLabel.get(key)?.get(value)?.length ?? 0), 0)
  const least = choices.toSorted((one, other) => crowd(one) - crowd(other))[0]
  if (least === undefined) {
    rest.push(carried)
    return
  }
  let byValue = byLabel.get(least.key)
  if (byValue === undefined) byLabel.set(least.key, (byValue = new Map()))
  for (const value of least.values) {
    const there = byValue.get(value)
    if (there === undefined) byValue.set(value, [carried])
    else there.push(carried)
  }
}
