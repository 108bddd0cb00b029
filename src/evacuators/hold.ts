import type { EvacuationKey } from '../evacuation-client/evacuation-key.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorFinalizer, withFinalizer, withoutFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import type { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { turnEndOf } from './turn-ended.ts'

/** Whose hold, on which Evacuation. */
export interface Hold {
  readonly evacuatorClass: string
  readonly key: EvacuationKey
  readonly uid: string
}

/** Makes sure that a cancelled Evacuation stays until things are put back. Does nothing when the turn is over. */
export async function takeHold(writer: EvacuationWriter, hold: Hold, signal: AbortSignal): Promise<void> {
  const finalizer = instigatorFinalizer(hold.evacuatorClass)
  const decide = (current: Evacuation) =>
    turnEndOf(current, hold) === undefined && !isThere(current, finalizer)
      ? ({ kind: 'finalizers', finalizers: withFinalizer(current.metadata.finalizers, finalizer) } as const)
      : undefined
  await writer.write(hold.key, decide, signal)
}

/** Takes away its own finalizer and no other. */
export async function releaseHold(writer: EvacuationWriter, hold: Hold, signal: AbortSignal): Promise<void> {
  const finalizer = instigatorFinalizer(hold.evacuatorClass)
  const decide = (current: Evacuation) =>
    current.metadata.uid === hold.uid && isThere(current, finalizer)
      ? ({ kind: 'finalizers', finalizers: withoutFinalizer(current.metadata.finalizers, finalizer) } as const)
      : undefined
  await writer.write(hold.key, decide, signal)
}

function isThere({ metadata }: Evacuation, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}
