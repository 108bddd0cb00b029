import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { PodAffinityTerm } from '../../../api/kubernetes/scheduling.ts'
import type { Node, Pod } from '../objects.ts'
import { antiAffinityOf, type Ledger, type Placed } from './ledger.ts'

/** Labels of a namespace, which a term may select by. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>>

export type AffinityVerdict = 'fits' | 'affinity' | 'antiAffinity' | 'antiAffinityOfOthers'

/** Looks at the pods that are there once; the answer for a node then takes a few look-ups. */
export function affinityCheck(
  pod: Pod,
  ledger: Ledger,
  namespaceLabels: NamespaceLabels,
): (node: Node) => AffinityVerdict {
  const affinity = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const antiAffinity = antiAffinityOf(pod)
  const refused = domainsOfOthers(pod, ledger, namespaceLabels)
  const near = affinity.map(() => new Set<string>())
  const far = antiAffinity.map(() => new Set<string>())
  if (affinity.length > 0 || antiAffinity.length > 0) {
    for (const placed of ledger.pods) {
      const matches = (term: PodAffinityTerm) => selects(term, pod, placed.pod, namespaceLabels)
      // Only a pod that all terms mean counts for any of them.
      if (affinity.length > 0 && affinity.every(matches)) {
        for (const [index, term] of affinity.entries()) addDomain(near[index], term, placed, ledger)
      }
      for (const [index, term] of antiAffinity.entries()) {
        if (matches(term)) addDomain(far[index], term, placed, ledger)
      }
    }
  }
  // The first of a group that wants to be together has no pod to join.
  const isFirst =
    near.every(({ size }) => size === 0) && affinity.every((term) => selects(term, pod, pod, namespaceLabels))
  return (node) => {
    const domain = ({ topologyKey }: PodAffinityTerm) => node.metadata.labels?.[topologyKey]
    const isNear = affinity.every((term, index) => {
      const value = domain(term)
      return value !== undefined && (isFirst || near[index]?.has(value) === true)
    })
    if (!isNear) return 'affinity'
    if (antiAffinity.some((term, index) => far[index]?.has(domain(term) ?? '') === true)) return 'antiAffinity'
    for (const [key, values] of refused) {
      const value = node.metadata.labels?.[key]
      if (value !== undefined && values.has(value)) return 'antiAffinityOfOthers'
    }
    return 'fits'
  }
}

/** Where those who are there already do not want the pod: values by topology key. */
function domainsOfOthers(pod: Pod, ledger: Ledger, namespaceLabels: NamespaceLabels): Map<string, Set<string>> {
  const refused = new Map<string, Set<string>>()
  for (const placed of ledger.podsWithAntiAffinity) {
    for (const term of antiAffinityOf(placed.pod)) {
      if (!selects(term, placed.pod, pod, namespaceLabels)) continue
      let values = refused.get(term.topologyKey)
      if (values === undefined) refused.set(term.topologyKey, (values = new Set()))
      addDomain(values, term, placed, ledger)
    }
  }
  return refused
}

function addDomain(
  domains: Set<string> | undefined,
  { topologyKey }: PodAffinityTerm,
  { nodeName }: Placed,
  ledger: Ledger,
): void {
  const value = ledger.account(nodeName)?.node.metadata.labels?.[topologyKey]
  if (value !== undefined) domains?.add(value)
}

/** Without namespaces and a selector of them, a term means the namespace of the pod that carries it. */
function selects(term: PodAffinityTerm, carrier: Pod, other: Pod, namespaceLabels: NamespaceLabels): boolean {
  if (term.labelSelector === undefined || !matchesLabelSelector(term.labelSelector, other.metadata.labels)) return false
  const namespace = other.metadata.namespace
  const { namespaces = [], namespaceSelector } = term
  if (namespaces.length === 0 && namespaceSelector === undefined) return namespace === carrier.metadata.namespace
  if (namespaces.includes(namespace)) return true
  return namespaceSelector !== undefined && matchesLabelSelector(namespaceSelector, namespaceLabels(namespace))
}
