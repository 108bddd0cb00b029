import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorsOf } from '../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { eventSubject } from '../kube/events/event-subject.ts'

/**
 * What is left to read of a pod that moved. It is told on the owner, beside the pods that the owner creates, and in the
 * same words for each pod: one Event counts them all, and a large drain does not write one for each.
 */
export function podEvacuated(evacuation: Evacuation, pod: Pod): ClusterEvent {
  const instigators = instigatorsOf(evacuation)
  const by = instigators.length === 0 ? '' : `, as asked by ${instigators.join(', ')}`
  const { ownerReferences: owners = [], namespace } = pod.metadata
  const owner = owners.find(({ controller }) => controller === true) ?? owners[0]
  const said = { type: 'Normal', reason: 'Evacuated' } as const
  if (owner === undefined)
    return { about: eventSubject(pod, { apiVersion: 'v1', kind: 'Pod' }), ...said, note: `Evicted${by}` }
  const { apiVersion, kind, name, uid } = owner
  return { about: { apiVersion, kind, metadata: { name, namespace, uid } }, ...said, note: `Evicted a pod${by}` }
}
