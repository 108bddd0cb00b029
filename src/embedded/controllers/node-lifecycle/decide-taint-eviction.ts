import { tolerates } from '../../../api/kubernetes/taints.ts'
import type { Node, Pod } from '../objects.ts'

/** A deletion that is due later. It counts from when the first taint was seen. */
export interface ScheduledEviction {
  readonly sinceMs: number
  readonly atMs: number
}

export type TaintEviction =
  /** Nothing is due, and what was is forgotten. */
  | { readonly kind: 'stay' }
  | { readonly kind: 'leave' }
  /** Tolerated for a time. */
  | { readonly kind: 'leaveLater'; readonly eviction: ScheduledEviction }

/**
 * Whether a pod may stay on a node with NoExecute taints, and for how long.
 * As upstream: https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/tainteviction/taint_eviction.go
 */
export function decideTaintEviction(
  pod: Pod,
  node: Node,
  { scheduled, nowMs }: { readonly scheduled: ScheduledEviction | undefined; readonly nowMs: number },
): TaintEviction {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  // The first toleration that matches is the one that counts.
  const used = taints.map((taint) => pod.spec?.tolerations?.find((toleration) => tolerates(toleration, taint)))
  const seconds = used.map((toleration) =>
    toleration === undefined ? 0 : Math.max(0, toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY),
  )
  const least = Math.min(...seconds)
  if (least === Number.POSITIVE_INFINITY) return { kind: 'stay' }
  if (used.includes(undefined)) return { kind: 'leave' }
  // What is scheduled stays as it is, even for a pod that now tolerates more or less.
  if (scheduled !== undefined) {
    return scheduled.atMs <= nowMs ? { kind: 'leave' } : { kind: 'leaveLater', eviction: scheduled }
  }
  if (least === 0) return { kind: 'leave' }
  return { kind: 'leaveLater', eviction: { sinceMs: nowMs, atMs: nowMs + least * 1_000 } }
}
