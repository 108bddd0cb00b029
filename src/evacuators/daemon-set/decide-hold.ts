import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { isHeld, maintenanceStandingOf } from '../../api/maintenance/maintenance-hold.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'

export type HoldDecision = 'hold' | 'release'

/** Whether a pod that bears the mark of a hold stays away from its node. Undefined: there is no such node. */
export function decideHold(pod: Pod, node: Node | undefined): HoldDecision {
  // It goes, and with it what holds it.
  if (pod.metadata.deletionTimestamp !== undefined) return 'hold'
  // A user took the gate off, and left the label; or made a pod look like one of ours.
  if (!isHeld(pod) || podTypeOf(pod) !== 'DaemonSet') return 'release'
  const standing = maintenanceStandingOf(pod, node)
  // Where that is unclear, things stay as they are.
  return standing.kind === 'withinTargets' || standing.kind === 'unclear' ? 'hold' : 'release'
}
