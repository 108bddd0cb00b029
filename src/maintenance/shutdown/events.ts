import type { GoingShutdown } from '../../api/maintenance/agent-shutdown.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { renderAction } from '../../api/maintenance/shutdown-maintenance.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { eventSubject } from '../../kube/events/event-subject.ts'
import type { LetGoWhy } from './decide-shutdown.ts'

// What is told as an Event on a node whose machine goes down.

export type ShutdownEvent = (node: Node) => ClusterEvent

export function shutdownHeld(going: GoingShutdown, maintenance: string): ShutdownEvent {
  return told('Normal', 'ShutdownHeld', `The ${renderAction(going)} waits until ${maintenance} has drained the node`)
}

const endings: Readonly<Record<LetGoWhy, (maintenance: string) => string>> = {
  drained: () => 'the node is drained',
  ended: (maintenance) => `${maintenance} was ended before the node was drained`,
  gateOff: () => 'the feature gate of maintenances is off',
}

export function shutdownLetGo(going: GoingShutdown, why: LetGoWhy, maintenance: string): ShutdownEvent {
  return told('Normal', 'ShutdownLetGo', `The ${renderAction(going)} may continue: ${endings[why](maintenance)}`)
}

export function shutdownCancelled(maintenance: string): ShutdownEvent {
  return told('Normal', 'ShutdownCancelled', `The machine does not go down any more; ${maintenance} is completed`)
}

export function rebooted(maintenance: string): ShutdownEvent {
  return told('Normal', 'ShutdownOver', `The machine is back and the node Ready; ${maintenance} is completed`)
}

export function shutdownNameTaken(going: GoingShutdown, maintenance: string): ShutdownEvent {
  const note = `Nothing drains the node before its ${renderAction(going)}: NodeMaintenance ${maintenance} was not made by Lifeboat; delete it, and the drain begins`
  return told('Warning', 'ShutdownNotDrained', note)
}

function told(type: ClusterEvent['type'], reason: string, note: string): ShutdownEvent {
  return (node) => ({ about: eventSubject(node, { apiVersion: 'v1', kind: 'Node' }), type, reason, note })
}
