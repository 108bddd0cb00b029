import type { Lease, Node } from '../objects.ts'
import { readyOf } from './decide-node.ts'

/** The default of 1.37: after so long without a sign of life, the state of a node is unknown. */
export const gracePeriodMs = 50_000
/** For a node whose kubelet never said anything. */
export const startupGracePeriodMs = 60_000

/** When a node was last heard of, by the clock of the one who listens, and what it said. */
export interface NodeHealth {
  readonly heardAtMs: number
  readonly heartbeat: string | undefined
  readonly renewTime: string | undefined
}

/** A node that is looked at for the first time counts as just heard of, unless it has never reported. */
export function observeHealth(
  before: NodeHealth | undefined,
  node: Node,
  { lease, nowMs }: { readonly lease: Lease | undefined; readonly nowMs: number },
): NodeHealth {
  const ready = readyOf(node)
  const heartbeat = ready?.lastHeartbeatTime
  const renewTime = lease?.spec?.renewTime
  const reports = ready !== undefined && (before === undefined || before.heartbeat !== heartbeat)
  const renews = renewTime !== undefined && (before?.renewTime === undefined || before.renewTime < renewTime)
  const unheardMs = Date.parse(node.metadata.creationTimestamp ?? '')
  const heardAtMs = reports || renews ? nowMs : (before?.heardAtMs ?? unheardMs)
  return { heardAtMs, heartbeat, renewTime: renews ? renewTime : before?.renewTime }
}

export function hasFallenSilent({ heardAtMs }: NodeHealth, node: Node, nowMs: number): boolean {
  return nowMs > heardAtMs + (readyOf(node) === undefined ? startupGracePeriodMs : gracePeriodMs)
}
