import type { Node } from '../api/kubernetes/core.ts'
import { nodeMaintenanceType, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { Stage } from '../api/maintenance/stage.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { eventSubject } from '../kube/events/event-subject.ts'

// Everything that the controller tells as an Event.

const stageNotes: Readonly<Record<Stage, string>> = {
  Idle: 'The maintenance is planned; nothing is done yet',
  Cordon: 'The selected nodes are made unschedulable',
  Drain: 'The selected nodes are drained',
  Complete: 'The selected nodes are given back',
}

export function stageStarted(maintenance: NodeMaintenance, stage: Stage): ClusterEvent {
  return about(maintenance, 'Normal', `${stage}Started`, stageNotes[stage])
}

export function fastForwarded(maintenance: NodeMaintenance, older: readonly string[]): ClusterEvent {
  const note = `Fast-forwarded: ${older.join(', ')} ${older.length === 1 ? 'is' : 'are'} older and further on nodes that both select, so some pods leave before the turn that this drainPlan gives them`
  return about(maintenance, 'Normal', 'FastForwarded', note)
}

export function drained(maintenance: NodeMaintenance, message: string): ClusterEvent {
  return about(maintenance, 'Normal', 'Drained', message)
}

export function completed(maintenance: NodeMaintenance): ClusterEvent {
  return about(maintenance, 'Normal', 'Completed', 'The nodes are given back')
}

export function evacuationRefused(maintenance: NodeMaintenance, pod: string, why: string): ClusterEvent {
  return about(maintenance, 'Warning', 'EvacuationRefused', `Cannot ask for the evacuation of pod ${pod}: ${why}`)
}

export function nodeCordoned(node: Node, maintenance: NodeMaintenance): ClusterEvent {
  const note = `Made unschedulable for maintenance ${named(maintenance)}`
  return {
    about: eventSubject(node, { apiVersion: 'v1', kind: 'Node' }),
    type: 'Normal',
    reason: 'MaintenanceStarted',
    note,
  }
}

export function nodeGivenBack(node: Node, isSchedulable: boolean): ClusterEvent {
  const note = isSchedulable
    ? 'The maintenance is over and the node schedulable again'
    : 'The maintenance is over; the node was unschedulable before and stays so'
  return {
    about: eventSubject(node, { apiVersion: 'v1', kind: 'Node' }),
    type: 'Normal',
    reason: 'MaintenanceEnded',
    note,
  }
}

/** Told to both who look: at the node, and at the maintenance. */
export function cordonReverted(node: Node, maintenance: NodeMaintenance): ClusterEvent[] {
  const { name } = node.metadata
  const advice = `complete the maintenance to keep it so`
  const told = { type: 'Warning', reason: 'CordonReverted' } as const
  const note = `The node was made schedulable during maintenance ${named(maintenance)}; it was cordoned again: ${advice}`
  return [
    { ...told, about: eventSubject(node, { apiVersion: 'v1', kind: 'Node' }), note },
    about(
      maintenance,
      'Warning',
      'CordonReverted',
      `Node ${name} was made schedulable; it was cordoned again: ${advice}`,
    ),
  ]
}

function named({ metadata, spec }: NodeMaintenance): string {
  return (spec.reason ?? '') === '' ? metadata.name : `${metadata.name} (${spec.reason})`
}

function about(maintenance: NodeMaintenance, type: ClusterEvent['type'], reason: string, note: string): ClusterEvent {
  return { about: eventSubject(maintenance, nodeMaintenanceType), type, reason, note }
}
