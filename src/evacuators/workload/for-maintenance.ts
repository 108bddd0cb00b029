import { podPriorityOf } from '../../api/maintenance/drain-targets.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { intendedNodeOf, type MaintenanceStanding } from '../../api/maintenance/maintenance-hold.ts'
import { maintenanceStatusOf } from '../../api/maintenance/maintenance-status.ts'
import { annotations } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { Waiting, Working } from '../evacuator.ts'

// What DaemonSet and static pods have in common: they leave a node for its maintenance, in their turn, and never else.

export type Stays = Exclude<MaintenanceStanding, { kind: 'withinTargets' }>

/** A node that changes wakes it; this is only for what was not foreseen. */
export const againInMs = 10 * 60_000

/** Neither progress nor an end: who asks for such pods beside a maintenance should not be encouraged (KEP-4212). */
export function whyItStays(pod: Pod, standing: Stays, podType: 'DaemonSet' | 'Static'): Waiting {
  const ref = podRefOf(pod)
  const node = intendedNodeOf(pod) ?? 'of no name'
  // What was first said of DaemonSets alone names no type.
  const typed = podType === 'DaemonSet' ? {} : { podType }
  switch (standing.kind) {
    case 'notUnderMaintenance':
      return waiting({ kind: 'notUnderMaintenance', pod: ref, node, ...typed })
    case 'beyondTargets':
      return waiting({ kind: 'beyondDrainTargets', pod: ref, node, podPriority: podPriorityOf(pod), ...typed })
    case 'unclear': {
      const message = `The annotation ${annotations.maintenanceStatus} of node ${node} ${standing.problem}`
      return waiting({ reason: 'MaintenanceStatusUnclear', message })
    }
    default:
      return standing satisfies never
  }
}

export function waiting(because: Waiting['because'], inMs = againInMs): Waiting {
  return { kind: 'waiting', because, againInMs: inMs }
}

/** In the words of KEP-4212. */
export function terminatingForMaintenance(
  { spec }: Pod,
  node: Node | undefined,
  { name, sinceMs }: { readonly name: string; readonly sinceMs: number },
): Working {
  return {
    kind: 'working',
    message: `${name} is terminating the pod due to node maintenance${node === undefined ? '' : reasonOf(node)}.`,
    expectedFinishMs: sinceMs + (spec?.terminationGracePeriodSeconds ?? 0) * 1_000,
  }
}

function reasonOf(node: Node): string {
  const parsed = maintenanceStatusOf(node)
  const reason = parsed.kind === 'parsed' ? (parsed.status.reason ?? '') : ''
  return reason === '' ? '' : ` (${reason})`
}
