import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorFinalizer, instigatorsOf } from '../api/evacuation/instigator-finalizers.ts'
import { annotations, instigators } from '../api/names.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { Strategy } from './cycle/cycle.ts'

/** Why the descheduler asked. It stands on the Evacuation: a restart must know when to give up. */
export interface RequestNote extends Omit<Strategy, 'strategy'> {
  readonly strategy: string
  readonly atMs: number
}

const ownFinalizer = instigatorFinalizer(instigators.descheduler)

export function renderNote({ profile, strategy, atMs }: RequestNote): Record<string, string> {
  return { [annotations.deschedulerRequest]: JSON.stringify({ profile, strategy, at: new Date(atMs).toISOString() }) }
}

/** Undefined: there is none, or none that makes sense. */
export function noteOf({ metadata }: Evacuation): RequestNote | undefined {
  try {
    const { profile, strategy, at } = JSON.parse(
      metadata.annotations?.[annotations.deschedulerRequest] ?? '',
    ) as Record<string, unknown>
    const atMs = Date.parse(String(at))
    if (typeof profile !== 'string' || typeof strategy !== 'string' || Number.isNaN(atMs)) return undefined
    return { profile, strategy, atMs }
  } catch {
    return undefined
  }
}

export const isOurs = ({ metadata }: Evacuation): boolean => metadata.finalizers?.includes(ownFinalizer) === true

/** Its pod is on the way, no matter which component asked. One that is being deleted puts things back. */
export const isLive = ({ metadata }: Evacuation): boolean => metadata.deletionTimestamp === undefined

/** UIDs of the pods that an Evacuation wants gone. */
export function podsWantedGone(evacuations: readonly Evacuation[]): Set<string> {
  return new Set(evacuations.filter(isLive).map(({ spec }) => spec.podRef.uid))
}

export interface ExpiredRequest {
  readonly pod: PodRef
  /** Others want the pod gone, too: its evacuation continues without us. */
  readonly isShared: boolean
}

/** The requests that were made too long ago, and may still be taken back. */
export function expired(
  evacuations: readonly Evacuation[],
  { ttlMs, nowMs }: { readonly ttlMs: number; readonly nowMs: number },
): readonly ExpiredRequest[] {
  return evacuations.filter(isOurs).flatMap((evacuation) => {
    const askedMs = noteOf(evacuation)?.atMs ?? Date.parse(evacuation.metadata.creationTimestamp ?? '')
    const isForbidden = evacuation.status?.evacuationCancellationPolicy === 'Forbid'
    if (!isLive(evacuation) || isForbidden || !(nowMs - askedMs > ttlMs)) return []
    const { name, uid } = evacuation.spec.podRef
    const isShared = instigatorsOf(evacuation).length > 1
    return [{ pod: { namespace: evacuation.metadata.namespace, name, uid }, isShared }]
  })
}
