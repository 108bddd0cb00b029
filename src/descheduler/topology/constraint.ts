import { labelOf, matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { Toleration, TopologySpreadConstraint } from '../../api/kubernetes/scheduling.ts'
import { findUntolerated } from '../../api/kubernetes/taints.ts'
import { isAllowedOn } from '../fit/node-fit.ts'
import type { Labels, NodeView, PodTemplateView } from '../view.ts'

/** A spread constraint together with what the pod that carries it adds to it. */
export interface SpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selector: LabelSelector
  readonly nodes: NodeDemands
  /** Equal for constraints that ask for the same. */
  readonly identity: string
}

/** Which nodes count. Undefined: this does not matter. */
export interface NodeDemands {
  readonly allowedOn: Pick<PodTemplateView, 'nodeSelector' | 'requiredNodeAffinity'> | undefined
  readonly tolerations: readonly Toleration[] | undefined
  /** Equal for demands that the same nodes meet. */
  readonly identity: string
}

/** Undefined: without a selector it selects no pod. `minDomains` plays no part. */
export function spreadConstraintOf(
  constraint: TopologySpreadConstraint,
  template: PodTemplateView,
): SpreadConstraint | undefined {
  const { maxSkew, topologyKey, labelSelector } = constraint
  if (labelSelector === undefined) return undefined
  const selector = withLabelValues(labelSelector, constraint.matchLabelKeys ?? [], template.labels)
  const nodes = nodeDemandsOf(constraint, template)
  const identity = `${maxSkew} ${topologyKey} ${JSON.stringify(selector)} ${nodes.identity}`
  return { maxSkew, topologyKey, selector, nodes, identity }
}

function nodeDemandsOf(
  { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' }: TopologySpreadConstraint,
  { nodeSelector, requiredNodeAffinity, tolerations }: PodTemplateView,
): NodeDemands {
  const demands = {
    allowedOn: nodeAffinityPolicy === 'Honor' ? { nodeSelector, requiredNodeAffinity } : undefined,
    tolerations: nodeTaintsPolicy === 'Honor' ? tolerations : undefined,
  }
  return { ...demands, identity: JSON.stringify(demands) }
}

/** Of the keys in `matchLabelKeys`, those that the carrier has not are passed over. */
function withLabelValues(selector: LabelSelector, keys: readonly string[], labels: Labels): LabelSelector {
  const added = keys.flatMap((key) => {
    const value = labelOf(labels, key)
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }]
  })
  return added.length === 0
    ? selector
    : { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] }
}

export function isCounted(node: NodeView, { allowedOn, tolerations }: NodeDemands): boolean {
  if (allowedOn !== undefined && !isAllowedOn(allowedOn, node)) return false
  return (
    tolerations === undefined || findUntolerated(node.taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined
  )
}

export function selects({ selector }: SpreadConstraint, { labels }: PodTemplateView): boolean {
  return matchesLabelSelector(selector, labels)
}
