import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import { apiVersionOf, replicaSets } from '../../api/kubernetes/resources.ts'
import type { ClusterEvent, EventSubject } from '../../kube/events/cluster-event.ts'
import { eventSubject } from '../../kube/events/event-subject.ts'

export function invalidStrategy(set: ReplicaSet, message: string): ClusterEvent {
  const note = `Its pods are evicted like any other: ${message}`
  return { about: subjectOf(set), type: 'Warning', reason: 'InvalidEvictStrategy', note }
}

export function podDeleted(set: ReplicaSet, pod: string, unavailableMax: number): ClusterEvent {
  const note = `Deleted pod ${pod}, which is to leave its node; the evict strategy allows ${unavailableMax} at once`
  return { about: subjectOf(set), type: 'Normal', reason: 'EvictWantedPodDeleted', note }
}

function subjectOf(set: ReplicaSet): EventSubject {
  return eventSubject(set, { apiVersion: apiVersionOf(replicaSets), kind: replicaSets.kind })
}
