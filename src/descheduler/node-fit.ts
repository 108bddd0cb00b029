import { labelOf, matchesLabelSelector } from '../api/label-selector.ts'
import { matchesNodeSelector } from '../api/node-selector.ts'
import type { Amounts } from '../api/pod-requests.ts'
import { findUntolerated } from '../api/taints.ts'
import { isActive } from './pods-listed.ts'
import type { NodeView, PodTemplateView, PodView } from './view.ts'

// Whether a pod could run on a node, as upstream's descheduler sees it: less than the scheduler looks at.

/** What is on the nodes. */
export interface Occupancy {
  podsOn(node: string): readonly PodView[]
  usedOn(node: string): Amounts
}

/** Why a pod does not fit a node; undefined: it does. */
export function misfitOf(pod: PodView, node: NodeView, occupancy: Occupancy): string | undefined {
  const { template } = pod
  if (node.isCordoned) return 'it is cordoned'
  if (!isAllowedOn(template, node)) return 'node selector or affinity do not match'
  const taint = findUntolerated(node.taints, template.tolerations, ['NoSchedule', 'NoExecute'])
  if (taint !== undefined) return `it has the taint ${taint.key}`
  if (isRepelledBy(pod, node, occupancy)) return 'anti-affinity keeps it away from a pod there'
  return pod.nodeName === node.name ? undefined : shortageOf(template.requests, node, occupancy.usedOn(node.name))
}

/** By nodeSelector and required node affinity. */
export function isAllowedOn(
  { nodeSelector, requiredNodeAffinity }: Pick<PodTemplateView, 'nodeSelector' | 'requiredNodeAffinity'>,
  node: NodeView,
): boolean {
  if (Object.entries(nodeSelector).some(([key, value]) => labelOf(node.labels, key) !== value)) return false
  return requiredNodeAffinity === undefined || matchesNodeSelector(requiredNodeAffinity, asObject(node))
}

/** The form in which selectors of nodes look at one. */
export function asObject({ name, labels }: NodeView): {
  readonly metadata: { name: string; labels: Record<string, string> }
} {
  return { metadata: { name, labels } }
}

/** By the pod's own required terms, and the pods of that node alone: upstream looks no further. */
function isRepelledBy(pod: PodView, node: NodeView, occupancy: Occupancy): boolean {
  return pod.template.antiAffinity.some((term) => {
    if (labelOf(node.labels, term.topologyKey) === undefined) return false
    const namespaces = (term.namespaces ?? []).length > 0 ? (term.namespaces ?? []) : [pod.namespace]
    return occupancy
      .podsOn(node.name)
      .some(
        (other) =>
          isActive(other) &&
          other.name !== pod.name &&
          namespaces.includes(other.namespace) &&
          term.labelSelector !== undefined &&
          matchesLabelSelector(term.labelSelector, other.template.labels),
      )
  })
}

function shortageOf(requests: Amounts, { allocatable }: NodeView, used: Amounts): string | undefined {
  const missing = [...requests].find(
    ([resource, amount]) => amount > (allocatable.get(resource) ?? 0) - (used.get(resource) ?? 0),
  )
  if (missing !== undefined) return `it has too little ${missing[0]} left`
  const slots = (allocatable.get('pods') ?? 0) - (used.get('pods') ?? 0)
  return slots < onePod ? 'it has no room for another pod' : undefined
}

/** In thousandths, as all amounts are. */
export const onePod = 1_000
