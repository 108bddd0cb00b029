import type { Lease } from '../../api/kubernetes/coordination.ts'
import { reportOf } from '../../api/maintenance/agent-mailbox.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { apiVersionOf, nodes } from '../../api/kubernetes/resources.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'

export function manifestSuperseded({ metadata }: Node, pod: string, folder: string): ClusterEvent {
  const { name, uid } = metadata
  return {
    about: { apiVersion: apiVersionOf(nodes), kind: nodes.kind, metadata: { name, uid } },
    type: 'Normal',
    reason: 'ManifestSuperseded',
    note: `A new manifest of static pod ${pod} was written while the old one was parked; the new one counts, the old one is kept in ${folder}`,
  }
}

/** Static pods whose manifest was replaced between two looks. */
export function newlySuperseded(before: Lease, now: Lease): string[] {
  const known = reportOf(before)?.staticPods?.superseded ?? []
  return (reportOf(now)?.staticPods?.superseded ?? []).filter((pod) => !known.includes(pod))
}
