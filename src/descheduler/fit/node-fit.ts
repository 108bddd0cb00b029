import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import { labelOf, matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { matchesNodeSelector, type NodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { findUntolerated } from '../../api/kubernetes/taints.ts'
import { isActive } from '../cycle/pods-listed.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

// Whether a pod could run on a node, as upstream's descheduler sees it: less than the scheduler looks at.

/** What is on the nodes. */
export interface Occupancy {
  podsOn(node: string): readonly PodView[]
  usedOn(node: string): Amounts
}

/** A pod that would come to a node from elsewhere. */
export interface Newcomer {
  readonly namespace: string
  /** Pods of this name do not keep it away, whatever their namespace. */
  readonly name: string | undefined
  readonly template: PodTemplateView
}

/** Why a pod does not fit a node, in words that follow "the node"; undefined: it does. */
export function misfitOf(pod: PodView, node: NodeView, occupancy: Occupancy): string | undefined {
  const obstacle =
    pod.nodeName === node.name ? barrierOf(pod.template)(node) : obstacleOn(node, pod.template, occupancy)
  return obstacle ?? repulsionOf(pod, node, occupancy)
}

/** The same for any pod of a template that is not there yet, and without a look at who is there. */
export function obstacleOn(node: NodeView, template: PodTemplateView, occupancy: Occupancy): string | undefined {
  return barrierOf(template)(node) ?? shortageOf(template.requests, node, occupancy.usedOn(node.name))
}

/** By what a node says of itself. */
export function barrierOf(template: PodTemplateView): (node: NodeView) => string | undefined {
  const { requiredNodeAffinity, tolerations } = template
  const labels = Object.entries(template.nodeSelector)
  return (node) => {
    if (node.isCordoned) return 'is cordoned'
    if (!isLabelled(node, labels) || !isSelected(node, requiredNodeAffinity)) return notMatching
    const taint = findUntolerated(node.taints, tolerations, repellingEffects)
    return taint === undefined ? undefined : `has the taint ${taint.key}`
  }
}

const notMatching = 'does not match the node selector or affinity'

const repellingEffects = ['NoSchedule', 'NoExecute'] as const

/** By nodeSelector and required node affinity. */
export function isAllowedOn(
  { nodeSelector, requiredNodeAffinity }: Pick<PodTemplateView, 'nodeSelector' | 'requiredNodeAffinity'>,
  node: NodeView,
): boolean {
  return isLabelled(node, Object.entries(nodeSelector)) && isSelected(node, requiredNodeAffinity)
}

function isLabelled({ labels }: NodeView, wanted: readonly (readonly [key: string, value: string])[]): boolean {
  for (const [key, value] of wanted) if (labelOf(labels, key) !== value) return false
  return true
}

/** No selector selects every node. */
function isSelected(node: NodeView, selector: NodeSelector | undefined): boolean {
  return selector === undefined || matchesNodeSelector(selector, asObject(node))
}

/** Ready ones that a selector selects. Cordoned ones stay in. */
export function readyNodes(nodes: readonly NodeView[], selector: NodeSelector | undefined): readonly NodeView[] {
  return nodes.filter((node) => node.isReady && isSelected(node, selector))
}

/** The form in which selectors of nodes look at one. */
export function asObject({ name, labels }: NodeView): {
  readonly metadata: { name: string; labels: Record<string, string> }
} {
  return { metadata: { name, labels } }
}

/** By the required anti-affinity terms of the pod, and the pods of that node alone: upstream looks no further. */
export function repulsionOf(pod: Newcomer, node: NodeView, occupancy: Occupancy): string | undefined {
  const isRepelled = pod.template.antiAffinity.some((term) => {
    if (labelOf(node.labels, term.topologyKey) === undefined) return false
    const namespaces = namespacesOf(term, pod.namespace)
    return occupancy
      .podsOn(node.name)
      .some((other) => isActive(other) && other.name !== pod.name && isSelectedBy(term, namespaces, other))
  })
  return isRepelled ? 'has a pod that anti-affinity keeps it away from' : undefined
}

/** Those that a term of a pod in a namespace is about. Upstream has no regard to namespaceSelector. */
export function namespacesOf(term: PodAffinityTerm, own: string): readonly string[] {
  return term.namespaces === undefined || term.namespaces.length === 0 ? [own] : term.namespaces
}

/** A term without a selector selects nothing. */
export function isSelectedBy(
  { labelSelector }: PodAffinityTerm,
  namespaces: readonly string[],
  { namespace, template }: PodView,
): boolean {
  return (
    labelSelector !== undefined &&
    namespaces.includes(namespace) &&
    matchesLabelSelector(labelSelector, template.labels)
  )
}

function shortageOf(requests: Amounts, { allocatable }: NodeView, used: Amounts): string | undefined {
  for (const [resource, amount] of requests) {
    if (amount > roomFor(resource, allocatable, used)) return lacking(resource)
  }
  return roomFor('pods', allocatable, used) < onePod ? noSeat : undefined
}

export const lacking = (resource: string) => `has too little ${resource} left`
export const noSeat = 'has no room for another pod'

/** Upstream counts cpu in thousandths and everything else in whole units, rounded up. */
export function roomFor(resource: string, allocatable: Amounts, used: Amounts): number {
  const [has, taken] = [allocatable.get(resource) ?? 0, used.get(resource) ?? 0]
  return resource === 'cpu' ? has - taken : (Math.ceil(has / 1_000) - Math.ceil(taken / 1_000)) * 1_000
}

/** In thousandths, as all amounts are. */
export const onePod = 1_000
