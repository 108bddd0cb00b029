import { nodes } from '../../api/kubernetes/resources.ts'
import type { NodeLookup } from '../../evacuation/claims.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { recentReads } from './recent-reads.ts'

const nodesFreshMs = 5_000

/** Nodes are looked at where pods do not end, many of them on the same node at the same time. */
export function nodeLookup({ kube, clock }: { readonly kube: Kube; readonly clock: Clock }): NodeLookup {
  const recent = recentReads(kube, clock, nodesFreshMs)
  return (name, signal) => unlessNotFound(recent.get(nodes, { name }, { signal }))
}
