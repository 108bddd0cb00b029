import { blockedBy, type BlockedBy } from '../api/blocker/blocked-by.ts'
import { blockerReason, renderBlocker, type Blocker } from '../api/blocker/blocker.ts'
import {
  evacuationConditions,
  evacuationLimits,
  newEvacuationStatus,
  type EvacuationStatus,
  type EvacuationStatusChange,
} from '../api/evacuation/evacuation.ts'
import { withCondition } from '../api/schema/condition.ts'
import { timestamp } from '../api/kubernetes/timestamp.ts'

/** What an evacuation waits for, as its status has it. */
export interface Blocked {
  readonly reason: string
  readonly message: string
  /** The same as data; a reason of an evacuator of others has none. */
  readonly by?: BlockedBy
}

export function blockedOf(blocker: Blocker): Blocked {
  return { reason: blockerReason(blocker), message: renderBlocker(blocker), by: blockedBy(blocker) }
}

/** What the status lacks to say what blocks, or that nothing does: empty if it says so already. */
export function blockedChange(
  status: EvacuationStatus = newEvacuationStatus,
  blocked: Blocked | undefined,
  nowMs: number,
): EvacuationStatusChange {
  const { conditions = [], blockedBy: told } = status
  const present = conditions.find(({ type }) => type === evacuationConditions.blocked)
  const isBlocked = present?.status === 'True'
  const withNext = (is: 'True' | 'False', reason: string, message: string) => {
    const next = { type: evacuationConditions.blocked, status: is, reason, message }
    return { conditions: withCondition(conditions, next, timestamp(nowMs)) }
  }
  const forgotten = told === undefined ? {} : { blockedBy: null }
  if (blocked === undefined) return isBlocked ? { ...withNext('False', 'Progressing', ''), ...forgotten } : {}
  const { reason, by } = blocked
  const message = cutMessage(blocked.message)
  const isKnown = isBlocked && present.reason === reason && present.message === message && isSameNode(told, by)
  if (isKnown) return {}
  return { ...withNext('True', reason, message), ...(by === undefined ? forgotten : { blockedBy: [by] }) }
}

/** A drain that joins changes what happens when the time is up, and not the message. */
function isSameNode(told: EvacuationStatus['blockedBy'], by: BlockedBy | undefined): boolean {
  return told?.[0] === undefined || told[0].node === by?.node
}

export function cutMessage(message: string): string {
  return message.slice(0, evacuationLimits.messageLengthMax).toWellFormed()
}
