import { evacuationType, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { eventSubject } from '../kube/events/event-subject.ts'
import type { TurnEnd } from './turn-ended.ts'

/** Where events go; an EventRecorder is one. */
export interface Events {
  record(event: ClusterEvent): void
}

export function started(evacuation: Evacuation, evacuatorClass: string): ClusterEvent {
  const note = `Evacuator ${evacuatorClass} begins with pod ${evacuation.spec.podRef.name}`
  return { about: eventSubject(evacuation, evacuationType), type: 'Normal', reason: 'EvacuatorStarted', note }
}

export function failed(evacuation: Evacuation, evacuatorClass: string, message: string): ClusterEvent {
  const note = `Evacuator ${evacuatorClass}: ${message}`
  return { about: eventSubject(evacuation, evacuationType), type: 'Warning', reason: 'EvacuatorFailed', note }
}

/** Undefined for an end that is expected. */
export function turnLost(evacuation: Evacuation, evacuatorClass: string, why: TurnEnd): ClusterEvent | undefined {
  if (why === 'gone' || why === 'cancelled') return undefined
  const how = why === 'handedOver' ? 'the turn passed to another' : 'the turn was marked as completed'
  const note = `Evacuator ${evacuatorClass} stops before it is done: ${how}`
  return { about: eventSubject(evacuation, evacuationType), type: 'Warning', reason: 'EvacuatorTurnLost', note }
}
