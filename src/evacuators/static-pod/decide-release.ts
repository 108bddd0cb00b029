import { reportOf, wantedOf, type AgentWanted } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import { maintenanceStatusOf } from '../../api/maintenance/maintenance-status.ts'

export type ReleaseDecision =
  | { readonly kind: 'nothing' }
  /** These may come back as soon as their mirrors are gone. */
  | { readonly kind: 'release'; readonly pods: readonly string[] }
  /** The mailbox does not say what is wanted of what is parked: it was deleted, and the agent made a new one. */
  | { readonly kind: 'want'; readonly wanted: AgentWanted }

/** What becomes of the static pods of a node that an agent has parked, or is to. Undefined: there is no such node. */
export function decideRelease(mailbox: Lease, node: Node | undefined, nowMs: number): ReleaseDecision {
  const wanted = wantedOf(mailbox)?.park.map(({ pod }) => pod)
  const parked = reportOf(mailbox)?.staticPods?.parked ?? []
  // Where that is unclear, things stay as they are.
  const isOver = node === undefined || maintenanceStatusOf(node).kind === 'absent'
  if (wanted !== undefined) return isOver && wanted.length > 0 ? { kind: 'release', pods: wanted } : { kind: 'nothing' }
  if (parked.length === 0) return { kind: 'nothing' }
  const since = timestamp(nowMs)
  return { kind: 'want', wanted: { park: isOver ? [] : parked.map((pod) => ({ pod, since })) } }
}

/** Whether the controller has to know how the node is. */
export function isBusy(mailbox: Lease): boolean {
  const wanted = wantedOf(mailbox)
  if (wanted !== undefined) return wanted.park.length > 0
  return (reportOf(mailbox)?.staticPods?.parked.length ?? 0) > 0
}
