import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { Labels } from '../view.ts'
import type { Newcomer } from './fit-rule.ts'
import { narrowed } from './label-keys.ts'

/** A term of an affinity, with all that it takes from the pod that has it. */
export interface Term {
  /** Equal terms have the same key; of one `Terms` they are the same object. */
  readonly key: string
  readonly topologyKey: string
  readonly namespaces: readonly string[]
  /** Selects more namespaces. */
  readonly namespaceSelector: LabelSelector | undefined
  readonly selector: LabelSelector | undefined
}

export type NamespaceLabels = ReadonlyMap<string, Labels>

/** Without namespaces and a selector of them, a term is about the namespace of the pod. */
export function termOf(term: PodAffinityTerm, { namespace, template }: Newcomer): Term {
  const { topologyKey, namespaceSelector, namespaces: listed = [] } = term
  const namespaces = listed.length === 0 && namespaceSelector === undefined ? [namespace] : listed
  const selector = narrowed(term.labelSelector, term, template.labels)
  const key = JSON.stringify([topologyKey, namespaces, namespaceSelector, selector])
  return { key, topologyKey, namespaces, namespaceSelector, selector }
}

/** Pods of many templates have the same terms: those that take nothing from the labels of the pod are made once. */
export class Terms {
  readonly #byKey = new Map<string, Term>()
  readonly #known = new Map<readonly PodAffinityTerm[], Map<string, readonly Term[]>>()

  of(terms: readonly PodAffinityTerm[], pod: Newcomer): readonly Term[] {
    if (terms.length === 0) return []
    const make = () => terms.map((term) => this.#shared(termOf(term, pod)))
    if (terms.some(takesLabels)) return make()
    let byNamespace = this.#known.get(terms)
    if (byNamespace === undefined) this.#known.set(terms, (byNamespace = new Map()))
    let made = byNamespace.get(pod.namespace)
    if (made === undefined) byNamespace.set(pod.namespace, (made = make()))
    return made
  }

  #shared(term: Term): Term {
    const known = this.#byKey.get(term.key)
    if (known === undefined) this.#byKey.set(term.key, term)
    return known ?? term
  }
}

function takesLabels({ matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm): boolean {
  return matchLabelKeys.length + mismatchLabelKeys.length > 0
}

/** Whether a term is about a pod. A term without a selector is about none. */
export function selects(
  { namespaces, namespaceSelector, selector }: Term,
  { namespace, template }: Newcomer,
  labelsOf: NamespaceLabels,
): boolean {
  if (selector === undefined || !matchesLabelSelector(selector, template.labels)) return false
  if (namespaces.includes(namespace)) return true
  return namespaceSelector !== undefined && matchesLabelSelector(namespaceSelector, labelsOf.get(namespace) ?? {})
}
