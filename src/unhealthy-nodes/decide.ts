import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import { isReadyNode, unhealthySince } from '../api/maintenance/unhealthy-node.ts'
import { countOf, isSameCount, type Count } from './count.ts'
import { patienceMs } from './patience.ts'

/** Everything decide may look at. */
export interface NodeView {
  /** Undefined: it is gone. */
  readonly node: Node | undefined
  /** What stands on the node about since when. */
  readonly noted: Count | undefined
  /** Those whose controllers have time. Undefined: this controller has not looked. */
  readonly pods: readonly Pod[] | undefined
  /** `NAMESPACE/NAME` of the Evacuations that were asked for. */
  readonly asked: ReadonlySet<string>
  /** Pods of this node whose evacuation is asked for because of it. */
  readonly requested: readonly PodRef[]
}

export type NodeDecision =
  /** There is nothing to do for it. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'withdraw'; readonly pods: readonly PodRef[] }
  | { readonly kind: 'note'; readonly count: Count | undefined }
  /** See which pods are there. */
  | { readonly kind: 'look' }
  | { readonly kind: 'ask'; readonly pods: readonly Pod[]; readonly count: Count }
  | { readonly kind: 'wait'; readonly untilMs?: number }

/** What is done next about one node. Pure: the view and the time say it all. */
export function decideNode(view: NodeView, nowMs: number): NodeDecision {
  const { node, noted, requested } = view
  // Kubernetes removes its pods, and with them their Evacuations.
  if (node === undefined) return { kind: 'forget' }
  const present = unhealthySince(node)
  const isReady = isReadyNode(node)
  // It reports again, up to some seconds before the taint goes.
  if (isReady && requested.length > 0) return { kind: 'withdraw', pods: requested }
  if (isReady || present.length === 0) {
    if (noted !== undefined) return { kind: 'note', count: undefined }
    // Kubernetes deletes nothing for the moment, but that is no recovery: what was asked for stays asked for.
    return present.length > 0 || requested.length > 0 ? { kind: 'wait' } : { kind: 'forget' }
  }
  return decideUnhealthy(view, countOf(present, noted), nowMs)
}

function decideUnhealthy({ pods, noted, asked }: NodeView, count: Count | undefined, nowMs: number): NodeDecision {
  if (pods === undefined) return { kind: 'look' }
  if (pods.length === 0 || count === undefined) return { kind: 'wait' }
  if (!isSameCount(count, noted)) return { kind: 'note', count }
  const left = pods
    .filter((pod) => !asked.has(evacuationIdOf(pod)))
    .flatMap((pod) => {
      const tolerated = patienceMs(pod, count.taint)
      return tolerated === undefined ? [] : [{ pod, dueMs: Date.parse(count.since) + tolerated }]
    })
  const due = left.filter(({ dueMs }) => dueMs <= nowMs).map(({ pod }) => pod)
  if (due.length > 0) return { kind: 'ask', pods: due, count }
  return left.length === 0 ? { kind: 'wait' } : { kind: 'wait', untilMs: Math.min(...left.map(({ dueMs }) => dueMs)) }
}
