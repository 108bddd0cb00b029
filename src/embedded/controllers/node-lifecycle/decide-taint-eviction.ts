import type { Node, Pod } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { tolerates } from '../../../api/taints.ts'

export type TaintEviction =
  | { readonly kind: 'stay' }
  | { readonly kind: 'leave' }
  /** Tolerated for a time. */
  | { readonly kind: 'leaveAt'; readonly atMs: number }

/** Whether a pod may stay on a node with NoExecute taints, and for how long. */
export function decideTaintEviction(pod: Pod, node: Node, nowMs: number): TaintEviction {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  const tolerations = pod.spec?.tolerations ?? []
  let atMs = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint))
    if (matching.length === 0) return { kind: 'leave' }
    const seconds = matching.map(({ tolerationSeconds = Number.POSITIVE_INFINITY }) => Math.max(0, tolerationSeconds))
    const sinceMs = taint.timeAdded === undefined ? nowMs : timeOf(taint.timeAdded)
    atMs = Math.min(atMs, sinceMs + Math.min(...seconds) * 1_000)
  }
  if (atMs === Number.POSITIVE_INFINITY) return { kind: 'stay' }
  return atMs <= nowMs ? { kind: 'leave' } : { kind: 'leaveAt', atMs }
}
