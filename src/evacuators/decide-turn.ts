import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'

export type TurnDecision =
  /** Nothing to do until the Evacuation changes. */
  | { readonly kind: 'idle' }
  /** Take the hold before the first step. */
  | { readonly kind: 'hold' }
  /** Give the hold up: there is nothing to put back. */
  | { readonly kind: 'release' }
  | { readonly kind: 'step'; readonly pod: Pod }
  | { readonly kind: 'cancel'; readonly pod: Pod }

export interface TurnView {
  readonly evacuatorClass: string
  /** Whether the evacuator has a `cancel`. */
  readonly putsBack: boolean
  /** Whether it acts on pods that are deleted. */
  readonly actsOnDeletedPods: boolean
  readonly evacuation: Evacuation
  /** Undefined: it is gone for sure, or another one has its name. */
  readonly pod: Pod | undefined
}

/** What an evacuator does next about one Evacuation. */
export function decideTurn(view: TurnView): TurnDecision {
  const { evacuatorClass, putsBack, evacuation, pod } = view
  const holding = isHeldBy(evacuation, evacuatorClass)
  const isDeleted = evacuation.metadata.deletionTimestamp !== undefined
  // The controller takes holds away when the pod is gone: two would only get in each other's way. What is deleted
  // waits for nothing else.
  if (pod === undefined) return { kind: holding && isDeleted ? 'release' : 'idle' }
  if (isDeleted) {
    if (!holding) return { kind: 'idle' }
    // A hold without a `cancel` is left over from an earlier version of the evacuator.
    return putsBack ? { kind: 'cancel', pod } : { kind: 'release' }
  }
  if (!isActive(evacuation, evacuatorClass)) return { kind: 'idle' }
  // For most evacuators the deletion of the pod is the end of what they do.
  if (pod.metadata.deletionTimestamp !== undefined && !view.actsOnDeletedPods) return { kind: 'idle' }
  return putsBack && !holding ? { kind: 'hold' } : { kind: 'step', pod }
}

/** Whether there may be something to do for the class; cheap, to be asked about every Evacuation that changes. */
export function concerns(evacuation: Evacuation, evacuatorClass: string): boolean {
  return isActive(evacuation, evacuatorClass) || isHeldBy(evacuation, evacuatorClass)
}

/** The same before and after a change that no evacuator needs to look at, such as its own report. */
export function turnKey(evacuation: Evacuation, evacuatorClass: string): string {
  const isCancelled = evacuation.metadata.deletionTimestamp !== undefined
  const facts = [isCancelled, isActive(evacuation, evacuatorClass), isHeldBy(evacuation, evacuatorClass)]
  return `${evacuation.metadata.uid} ${facts.join(' ')}`
}

export function isActive({ status }: Evacuation, evacuatorClass: string): boolean {
  return status?.activeEvacuatorClass === evacuatorClass && !status.activeEvacuatorCompleted
}

function isHeldBy({ metadata }: Evacuation, evacuatorClass: string): boolean {
  return metadata.finalizers?.includes(instigatorFinalizer(evacuatorClass)) ?? false
}
