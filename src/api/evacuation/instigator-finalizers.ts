import type { Evacuation } from './evacuation.ts'
import { hashOfClass } from './evacuator-annotations.ts'
import { finalizers, instigators } from '../names.ts'

/** The name of a finalizer has 63 characters, and `instigator_` takes eleven. */
export const instigatorLengthMax = 63 - 'instigator_'.length

export function instigatorFinalizer(instigator: string): string {
  const name = instigator.length <= instigatorLengthMax ? instigator : hashOfClass(instigator)
  return `${finalizers.instigatorPrefix}${name}`
}

export function isInstigatorFinalizer(finalizer: string): boolean {
  return finalizer.startsWith(finalizers.instigatorPrefix)
}

/**
 * Finalizers of those who want the pod gone; without any the evacuation is cancelled. One that bears the class of an
 * evacuator is that evacuator's hold instead: it buys time to roll back, and must not keep the evacuation alive, or no
 * cancellation would ever start.
 */
export function intentsOf(evacuation: Evacuation): string[] {
  const holds = new Set(holdsOf(evacuation))
  return finalizersOf(evacuation).filter((finalizer) => isInstigatorFinalizer(finalizer) && !holds.has(finalizer))
}

/** Who asks for it, as they called themselves, or the hash of it where that was too long. */
export function instigatorsOf(evacuation: Evacuation): string[] {
  return intentsOf(evacuation).map((finalizer) => finalizer.slice(finalizers.instigatorPrefix.length))
}

/** Finalizers by which evacuators ask for time to put things back. */
export function holdsOf(evacuation: Evacuation): string[] {
  const { evacuators = [] } = evacuation.spec
  const holds = new Set(evacuators.map(({ evacuatorClass }) => instigatorFinalizer(evacuatorClass)))
  return finalizersOf(evacuation).filter((finalizer) => holds.has(finalizer))
}

/** Finalizers that neither Lifeboat nor an evacuator of the pod takes off while the pod lives. */
export function foreignFinalizersOf(evacuation: Evacuation): string[] {
  const known = new Set([...holdsOf(evacuation), ...Object.values(instigators).map(instigatorFinalizer)])
  return finalizersOf(evacuation).filter((finalizer) => !known.has(finalizer))
}

export function withFinalizer(list: readonly string[] | undefined, finalizer: string): string[] {
  const given = list ?? []
  return given.includes(finalizer) ? [...given] : [...given, finalizer]
}

export function withoutFinalizer(list: readonly string[] | undefined, finalizer: string): string[] {
  return (list ?? []).filter((given) => given !== finalizer)
}

/** What is left when the pod is gone: intents and holds end with it, anything else is for others to take away. */
export function withoutInstigatorFinalizers(list: readonly string[] | undefined): string[] {
  return (list ?? []).filter((finalizer) => !isInstigatorFinalizer(finalizer))
}

function finalizersOf(evacuation: Evacuation): readonly string[] {
  return evacuation.metadata.finalizers ?? []
}
