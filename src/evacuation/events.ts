import { blockerReason, renderBlocker, type Blocker, type BlockerOf } from '../api/blocker/blocker.ts'
import { evacuationType, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { ClusterEvent, EventSubject } from '../kube/events/cluster-event.ts'
import { eventSubject } from '../kube/events/event-subject.ts'
import { switchedMessage } from './status-changes.ts'

// Everything that the controller tells as an Event. That an evacuator was selected stands in the status.

export function evacuatorSwitched(
  evacuation: Evacuation,
  hand: { readonly from: string; readonly evacuatorClass: string; readonly why: 'completed' | 'silent' },
): ClusterEvent {
  const type = hand.why === 'silent' ? 'Warning' : 'Normal'
  return { about: about(evacuation), type, reason: 'EvacuatorSwitched', note: switchedMessage(evacuation, hand) }
}

export function evictionRefused(evacuation: Evacuation, blocker: Blocker): ClusterEvent {
  const reason = blockerReason(blocker)
  return { about: about(evacuation), type: 'Warning', reason, note: renderBlocker(blocker) }
}

export function controllerWasAsked(
  evacuation: Evacuation,
  { owner = 'its controller', node, timeoutMs }: BlockerOf<'controllerTakeover'>,
): ClusterEvent {
  const why = node === undefined ? '' : `, because node ${node} is not ready`
  const note = `Asked ${owner} to take pod ${evacuation.spec.podRef.name} away within ${timeoutMs / 1_000} s${why}`
  return { about: about(evacuation), type: 'Normal', reason: 'ControllerAsked', note }
}

/** The Evacuation is about to go, so this is where its instigator finds out why. */
export function evacuatorsMissing(evacuation: Evacuation, missing: readonly string[]): ClusterEvent {
  const note = `Ended without an eviction: pod ${evacuation.spec.podRef.name} is evacuated by ${missing.join(', ')}, and the Evacuation was created without that, while no webhook of Lifeboat was registered; create it again`
  return { about: about(evacuation), type: 'Warning', reason: 'EvacuatorsMissing', note }
}

export function evacuationCancelled(evacuation: Evacuation): ClusterEvent {
  const note = `No instigator asks for the evacuation of pod ${evacuation.spec.podRef.name} any more`
  return { about: about(evacuation), type: 'Normal', reason: 'EvacuationCancelled', note }
}

function about(evacuation: Evacuation): EventSubject {
  return eventSubject(evacuation, evacuationType)
}
