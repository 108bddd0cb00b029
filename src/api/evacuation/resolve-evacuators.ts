import { parseEvacuatorAnnotations } from './evacuator-annotations.ts'
import { byPriorityThenClass, controllerRole, evacuatorLimits, type Evacuator } from './evacuator.ts'
import type { KubernetesObject } from '../kubernetes/meta.ts'

/**
 * Who may evacuate a pod, for spec.evacuators of its Evacuation: those that its annotations name, then the built-in
 * evacuators that claim it, then those that the instigator gave. Who comes earlier in this list wins a class, the one
 * place for a controller and the last free slot, so that no instigator can bypass an evacuator. Whatever comes in, an
 * Evacuation may carry the result.
 */
export function resolveEvacuators(
  pod: KubernetesObject,
  claims: readonly Evacuator[],
  given: readonly Evacuator[] = [],
): Evacuator[] {
  const kept: Evacuator[] = []
  const sources = [parseEvacuatorAnnotations(pod.metadata.annotations).evacuators, claims, given]
  for (const evacuator of sources.flatMap((source) => source.toSorted(byPriorityThenClass))) {
    if (hasRoomFor(kept, evacuator)) kept.push(evacuator)
  }
  return kept.toSorted(byPriorityThenClass)
}

function hasRoomFor(kept: readonly Evacuator[], { evacuatorClass, role }: Evacuator): boolean {
  if (kept.some((other) => other.evacuatorClass === evacuatorClass)) return false
  const controllers = kept.filter((other) => other.role === controllerRole).length
  if (role === controllerRole) return controllers === 0
  return kept.length - controllers < evacuatorLimits.evacuatorsMax - 1
}
