import { selectsPod } from '../../api/maintenance/drain-targets.ts'
import { isTargeted, type PlannedPod } from './pods.ts'
import type { DrainingMaintenance, DrainingNode, NodeTally } from './standing.ts'
import type { Targets } from './targets.ts'

export function tallyNode(node: DrainingNode): NodeTally {
  const { leaving } = node.pods
  const evacuating = leaving.filter(({ isEvacuating }) => isEvacuating).length
  return {
    node,
    lowest: node.maintenances.map(({ plan }) => lowestEntry(plan, leaving)),
    targeted: countTargeted(leaving, node.reached),
    pending: leaving.length - evacuating,
    evacuating,
  }
}

/** The first entry of a plan that selects one of the pods. */
function lowestEntry(plan: DrainingMaintenance['plan'], pods: readonly PlannedPod[]): number {
  let lowest = plan.length
  for (const pod of pods) {
    for (let index = 0; index < lowest; index++) {
      const entry = plan[index]
      if (entry !== undefined && selectsPod(entry, pod)) lowest = index
    }
  }
  return lowest
}

export function countTargeted(pods: readonly PlannedPod[], targets: Targets): number {
  let count = 0
  for (const pod of pods) if (isTargeted(pod, targets)) count++
  return count
}
