import type { Node, Pod } from '../kubernetes/core.ts'
import { timestamp } from '../kubernetes/timestamp.ts'
import { isHeld } from './maintenance-hold.ts'
import { annotations } from '../names.ts'
import { podTypeOf } from './pod-type.ts'

/**
 * Since when a node holds DaemonSet pods off, and which of them were on it by then. Another one that is not held came
 * back although it should have been. The node carries this from before the first deletion until the maintenance ends,
 * so a restart of Lifeboat forgets nothing; and as it is by UID, no clock decides.
 */
export interface HoldBegin {
  readonly since: string
  /** How the UIDs of those pods begin. */
  readonly pods: readonly string[]
}

/** More than a node has pods of DaemonSets. One that is left out would only have to wait. */
const podsMax = 256
/** A pod that came back stays for at least this long. Each further one stays twice as long, up to the maximum. */
const stayMs = { min: 2 * 60_000, max: 10 * 60_000 }

export function buildHoldBegin(pods: readonly Pod[], nowMs: number): HoldBegin {
  const known = pods.filter((pod) => podTypeOf(pod) === 'DaemonSet').map(markOf)
  return { since: timestamp(nowMs), pods: known.toSorted().slice(0, podsMax) }
}

/** Eight digits are enough to tell the pods of a node apart. */
function markOf({ metadata }: Pod): string {
  return metadata.uid.slice(0, 8)
}

/** When a pod that came back without its hold may be deleted, in wall-clock time. Undefined: it did not come back. */
export function mayLeaveAgainAtMs(pod: Pod, node: Node | undefined): number | undefined {
  const begin = node === undefined ? undefined : holdBeginOf(node)
  if (begin === undefined || isHeld(pod) || begin.pods.includes(markOf(pod))) return undefined
  const createdMs = Date.parse(pod.metadata.creationTimestamp ?? '')
  if (Number.isNaN(createdMs)) return undefined
  // A deletion comes right before the creation, so this doubles without a counter.
  const sinceBeginMs = createdMs - Date.parse(begin.since)
  return createdMs + Math.min(stayMs.max, Math.max(stayMs.min, sinceBeginMs))
}

export function renderHoldBegin({ since, pods }: HoldBegin): string {
  return JSON.stringify({ since, pods })
}

/** Undefined: there is none, or nothing that can be read. */
export function holdBeginOf({ metadata }: Node): HoldBegin | undefined {
  try {
    const text = metadata.annotations?.[annotations.daemonSetHold] ?? '{}'
    const { since, pods } = JSON.parse(text) as Partial<Record<keyof HoldBegin, unknown>>
    const isTime = typeof since === 'string' && !Number.isNaN(Date.parse(since))
    return isTime && Array.isArray(pods) ? { since, pods: pods.map(String) } : undefined
  } catch {
    return undefined
  }
}
