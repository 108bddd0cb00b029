import type { Node } from '../api/kubernetes/core.ts'
import type { ClusterEvent, EventSubject } from '../kube/events/cluster-event.ts'
import { eventSubject } from '../kube/events/event-subject.ts'
import type { Count } from './count.ts'

// All Events about a node that does not report.

export function controllersAsked(node: Node, pods: number, { taint, since }: Count): ClusterEvent {
  const note = `Taint ${taint} since ${since}: asked for the evacuation of ${pods} ${pods === 1 ? 'pod' : 'pods'} under ControllerTakeOver`
  return { about: about(node), type: 'Normal', reason: 'ControllersAsked', note }
}

export function requestRefused(node: Node, pod: string, why: string): ClusterEvent {
  const note = `Cannot ask for the evacuation of pod ${pod}: ${why}`
  return { about: about(node), type: 'Warning', reason: 'EvacuationRefused', note }
}

function about(node: Node): EventSubject {
  return eventSubject(node, { apiVersion: 'v1', kind: 'Node' })
}
