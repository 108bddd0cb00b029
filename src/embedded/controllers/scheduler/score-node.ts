import { matchesNodeSelector } from '../../../api/kubernetes/node-selector.ts'
import type { Pod } from '../objects.ts'
import { controllerOf } from '../ownership.ts'
import { findUntolerated } from '../../../api/kubernetes/taints.ts'
import type { PodView } from './filter-node.ts'
import type { Ledger, NodeAccount } from './ledger.ts'

const weights = { free: 1, spread: 2, preferredAffinity: 2, preferredTaints: 3 } as const
/** Pods that ask for nothing still count as something, or all of them would go to one node. */
const requestsMin = { cpu: 100, memory: 200 * 2 ** 20 * 1_000 } as const

/** The best of the nodes that a pod fits on: much free, few of its kind. The first of equals wins. */
export function bestNode(view: PodView, fitting: readonly NodeAccount[], ledger: Ledger): NodeAccount | undefined {
  const group = controllerOf(view.pod.metadata)?.uid
  const crowdOf = ({ groups, zone }: NodeAccount) =>
    group === undefined ? { node: 0, zone: 0 } : { node: groups.get(group) ?? 0, zone: ledger.groupInZone(group, zone) }
  const crowds = fitting.map(crowdOf)
  const crowdedMost = {
    node: crowds.reduce((most, { node }) => Math.max(most, node), 0),
    zone: crowds.reduce((most, { zone }) => Math.max(most, zone), 0),
  }
  let best: NodeAccount | undefined
  let bestScore = Number.NEGATIVE_INFINITY
  for (const [index, account] of fitting.entries()) {
    const crowd = crowds[index] ?? { node: 0, zone: 0 }
    const roomInNode = crowdedMost.node === 0 ? 0 : 100 * (1 - crowd.node / crowdedMost.node)
    const roomInZone = crowdedMost.zone === 0 ? 0 : 100 * (1 - crowd.zone / crowdedMost.zone)
    const score =
      weights.free * freeScore(view, account) +
      (weights.spread * (roomInNode + roomInZone)) / 2 +
      weights.preferredAffinity * affinityScore(view.pod, account) +
      weights.preferredTaints * taintScore(view.pod, account)
    if (score > bestScore) {
      best = account
      bestScore = score
    }
  }
  return best
}

function freeScore({ requests }: PodView, { allocatable, used, pods }: NodeAccount): number {
  let score = 0
  for (const name of ['cpu', 'memory'] as const) {
    const there = allocatable.get(name) ?? 0
    if (there === 0) continue
    const taken = Math.max(used.get(name) ?? 0, pods.size * requestsMin[name])
    const wanted = Math.max(requests.get(name) ?? 0, requestsMin[name])
    score += Math.max(0, (there - taken - wanted) / there) * 50
  }
  return score
}

function affinityScore({ spec }: Pod, { node }: NodeAccount): number {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  if (preferred === undefined || preferred.length === 0) return 0
  const total = preferred.reduce((sum, { weight }) => sum + weight, 0)
  const matched = preferred
    .filter(({ preference }) => matchesNodeSelector({ nodeSelectorTerms: [preference] }, node))
    .reduce((sum, { weight }) => sum + weight, 0)
  return total === 0 ? 0 : (100 * matched) / total
}

function taintScore({ spec }: Pod, { node }: NodeAccount): number {
  return findUntolerated(node.spec?.taints, spec?.tolerations, ['PreferNoSchedule']) === undefined ? 100 : 0
}
