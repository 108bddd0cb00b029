import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import { labelOf } from '../../api/kubernetes/label-selector.ts'
import { isSelectedBy, namespacesOf } from '../fit/node-fit.ts'
import type { Labels, NodeView, PodView } from '../view.ts'

/** Which pods are beside one that a required anti-affinity term of theirs selects. */
export class AntiAffinityConflicts {
  readonly #labelsOfNodes: ReadonlyMap<string, Labels>
  readonly #podsByNamespace: ReadonlyMap<string, readonly PodView[]>
  readonly #pods: readonly PodView[]
  /** Made for the first rule about other namespaces: elsewhere a pod has no namesake but itself. */
  #podsByName: ReadonlyMap<string, readonly PodView[]> | undefined
  /** By namespace and key of a label, made when a selector first asks for it: by value, who has it. */
  readonly #podsByLabel = new Map<string, ReadonlyMap<string | undefined, readonly PodView[]>>()
  readonly #rules = new Map<string, Rule>()
  /** The rule of a term, by the namespace of the pod that has it. */
  readonly #rulesByTerm = new Map<PodAffinityTerm, Map<string, Rule>>()
  readonly #rulesAbout = new Map<PodView, Rule[]>()
  readonly #removed = new Set<PodView>()

  constructor(nodes: readonly NodeView[], pods: readonly PodView[]) {
    this.#labelsOfNodes = new Map(nodes.map(({ name, labels }) => [name, labels]))
    this.#podsByNamespace = Map.groupBy(pods, ({ namespace }) => namespace)
    this.#pods = pods
  }

  has(pod: PodView): boolean {
    return pod.template.antiAffinity.some((term) => this.#isNearOne(pod, this.#ruleFor(term, pod.namespace)))
  }

  /** It has been sent away and conflicts with no other pod any more. */
  remove(pod: PodView): void {
    this.#removed.add(pod)
    for (const rule of this.#rulesAbout.get(pod) ?? []) {
      if (!rule.selected.delete(pod)) continue
      subtract(rule.countByNode, pod.nodeName)
      const domain = this.#domainOf(pod, rule)
      if (domain !== undefined) subtract(rule.countByDomain, domain)
    }
  }

  /** On its node, or on one with the same value of the topology key. Pods of its own name do not count. */
  #isNearOne(pod: PodView, rule: Rule): boolean {
    const namesakes = this.#namesakesOf(pod, rule).filter((other) => rule.selected.has(other))
    const onNode = namesakes.filter(({ nodeName }) => nodeName === pod.nodeName).length
    if ((rule.countByNode.get(pod.nodeName) ?? 0) > onNode) return true
    const domain = this.#domainOf(pod, rule)
    if (domain === undefined) return false
    const inDomain = namesakes.filter((other) => this.#domainOf(other, rule) === domain).length
    return (rule.countByDomain.get(domain) ?? 0) > inDomain
  }

  #namesakesOf(pod: PodView, { isAbroad }: Rule): readonly PodView[] {
    if (!isAbroad) return [pod]
    this.#podsByName ??= Map.groupBy(this.#pods, ({ name }) => name)
    return this.#podsByName.get(pod.name) ?? []
  }

  #ruleFor(term: PodAffinityTerm, namespace: string): Rule {
    let byNamespace = this.#rulesByTerm.get(term)
    if (byNamespace === undefined) this.#rulesByTerm.set(term, (byNamespace = new Map()))
    let rule = byNamespace.get(namespace)
    if (rule === undefined) byNamespace.set(namespace, (rule = this.#shared(term, namespacesOf(term, namespace))))
    return rule
  }

  /** Pods of many templates may have the same rule. */
  #shared(term: PodAffinityTerm, namespaces: readonly string[]): Rule {
    const key = JSON.stringify([namespaces, term.namespaces, term.labelSelector, term.topologyKey])
    let rule = this.#rules.get(key)
    if (rule === undefined) this.#rules.set(key, (rule = this.#build(term, namespaces)))
    return rule
  }

  #build(term: PodAffinityTerm, namespaces: readonly string[]): Rule {
    const rule: Rule = {
      topologyKey: term.topologyKey,
      isAbroad: (term.namespaces ?? []).length > 0,
      selected: new Set(),
      countByNode: new Map(),
      countByDomain: new Map(),
    }
    for (const namespace of new Set(namespaces)) {
      for (const pod of this.#candidatesFor(term, namespace)) {
        if (!this.#removed.has(pod) && isSelectedBy(term, namespaces, pod)) this.#admit(pod, rule)
      }
    }
    return rule
  }

  #admit(pod: PodView, rule: Rule): void {
    rule.selected.add(pod)
    add(rule.countByNode, pod.nodeName)
    const domain = this.#domainOf(pod, rule)
    if (domain !== undefined) add(rule.countByDomain, domain)
    const about = this.#rulesAbout.get(pod)
    if (about === undefined) this.#rulesAbout.set(pod, [rule])
    else about.push(rule)
  }

  /** All that a selector may select in a namespace, and not many more: a namespace may hold all pods of the cluster. */
  #candidatesFor({ labelSelector }: PodAffinityTerm, namespace: string): readonly PodView[] {
    let fewest = this.#podsByNamespace.get(namespace) ?? []
    for (const [key, value] of Object.entries(labelSelector?.matchLabels ?? {})) {
      const pods = this.#podsWith(namespace, key).get(value) ?? []
      if (pods.length < fewest.length) fewest = pods
    }
    for (const { key, operator, values = [] } of labelSelector?.matchExpressions ?? []) {
      if (operator !== 'In') continue
      const pods = [...new Set(values)].flatMap((value) => this.#podsWith(namespace, key).get(value) ?? [])
      if (pods.length < fewest.length) fewest = pods
    }
    return fewest
  }

  #podsWith(namespace: string, key: string): ReadonlyMap<string | undefined, readonly PodView[]> {
    const known = this.#podsByLabel.get(`${namespace} ${key}`)
    if (known !== undefined) return known
    const pods = this.#podsByNamespace.get(namespace) ?? []
    const byValue = Map.groupBy(pods, ({ template }) => labelOf(template.labels, key))
    this.#podsByLabel.set(`${namespace} ${key}`, byValue)
    return byValue
  }

  #domainOf({ nodeName }: PodView, { topologyKey }: Rule): string | undefined {
    const labels = this.#labelsOfNodes.get(nodeName)
    return labels === undefined ? undefined : labelOf(labels, topologyKey)
  }
}

/** A term, and where the pods are that it selects. */
interface Rule {
  readonly topologyKey: string
  readonly isAbroad: boolean
  readonly selected: Set<PodView>
  readonly countByNode: Map<string, number>
  /** By value of the topology key. */
  readonly countByDomain: Map<string, number>
}

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
const subtract = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) - 1)
