import type { Node } from '../../api/kubernetes/core.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import { nodeConditions } from '../../api/names.ts'

const reasons = { true: 'LifeboatShutdown', false: 'LifeboatShutdownOver' } as const
const messages = {
  true: 'The machine is going down, and Lifeboat drains the node first',
  false: 'The machine is not going down any more',
} as const

export interface NodeConditionPatch {
  readonly metadata: { readonly uid: string | undefined }
  readonly status: { readonly conditions: readonly object[] }
}

/**
 * A strategic merge patch of the status: conditions are merged by their type, so that those of the kubelet stay as they
 * are. Undefined: it says so already, or it is not Lifeboat's to write.
 */
export function conditionPatch(
  { metadata, status }: Node,
  isInProgress: boolean,
  nowMs: number,
): NodeConditionPatch | undefined {
  const before = status?.conditions?.find(({ type }) => type === nodeConditions.shutdown)
  if (before !== undefined && !isOurs(before)) return undefined
  // What was never said needs no end.
  if (before === undefined ? !isInProgress : (before.status === 'True') === isInProgress) return undefined
  const now = timestamp(nowMs)
  const condition = {
    type: nodeConditions.shutdown,
    status: isInProgress ? 'True' : 'False',
    reason: reasons[`${isInProgress}`],
    message: messages[`${isInProgress}`],
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
  return { metadata: { uid: metadata.uid }, status: { conditions: [condition] } }
}

function isOurs({ reason = '' }: { readonly reason?: string }): boolean {
  return reason === reasons.true || reason === reasons.false
}

/** Since when the node says so, whether or not Lifeboat wrote it. */
export function shutdownSince({ status }: Node): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === nodeConditions.shutdown)
  return found?.status === 'True' ? found.lastTransitionTime : undefined
}
