import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import { isTerminating } from '../pod-status.ts'
import type { TopologySpreadConstraint } from '../../../api/kubernetes/scheduling.ts'
import type { Node, Pod } from '../objects.ts'
import { findUntolerated } from '../../../api/kubernetes/taints.ts'
import type { Ledger } from './ledger.ts'
import { matchesNode } from './node-match.ts'

export type SpreadVerdict = 'fits' | 'skew' | 'missingLabel'

interface Counted {
  readonly constraint: TopologySpreadConstraint
  readonly counts: ReadonlyMap<string, number>
  readonly lowest: number
  readonly self: number
}

/** Counts the domains once; the answer for a node is then one look-up for each constraint. */
export function spreadCheck(pod: Pod, ledger: Ledger): (node: Node) => SpreadVerdict {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  )
  const counted = constraints.map((constraint) => count(constraint, constraints, pod, ledger))
  return (node) => {
    for (const { constraint, counts, lowest, self } of counted) {
      const value = node.metadata.labels?.[constraint.topologyKey]
      if (value === undefined) return 'missingLabel'
      if ((counts.get(value) ?? 0) + self - lowest > constraint.maxSkew) return 'skew'
    }
    return 'fits'
  }
}

function count(
  constraint: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
  pod: Pod,
  ledger: Ledger,
): Counted {
  const counts = new Map<string, number>()
  const selects = selectorOf(constraint, pod)
  for (const { node, pods } of ledger.accounts) {
    const labels = node.metadata.labels ?? {}
    if (!all.every(({ topologyKey }) => labels[topologyKey] !== undefined)) continue
    if (!isEligible(constraint, pod, node)) continue
    const value = labels[constraint.topologyKey] ?? ''
    let matching = counts.get(value) ?? 0
    for (const placed of pods) {
      if (
        placed.pod.metadata.namespace === pod.metadata.namespace &&
        !isTerminating(placed.pod) &&
        selects(placed.pod)
      ) {
        matching++
      }
    }
    counts.set(value, matching)
  }
  const hasDomains = counts.size >= (constraint.minDomains ?? 1)
  const lowest = hasDomains ? Math.min(...counts.values()) : 0
  return { constraint, counts, lowest, self: selects(pod) ? 1 : 0 }
}

/** Nodes that the pod may not go to anyway do not count as domains, unless the constraint says otherwise. */
function isEligible({ nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, pod: Pod, node: Node): boolean {
  if (nodeAffinityPolicy !== 'Ignore' && !matchesNode(pod, node)) return false
  if (nodeTaintsPolicy !== 'Honor') return true
  return findUntolerated(node.spec?.taints, pod.spec?.tolerations, ['NoSchedule', 'NoExecute']) === undefined
}

/** matchLabelKeys narrows the selection to pods that have the same values as this one. */
function selectorOf(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  pod: Pod,
): (other: Pod) => boolean {
  const own = pod.metadata.labels ?? {}
  const keys = matchLabelKeys.filter((key) => own[key] !== undefined)
  return ({ metadata }) =>
    labelSelector !== undefined &&
    matchesLabelSelector(labelSelector, metadata.labels) &&
    keys.every((key) => metadata.labels?.[key] === own[key])
}
