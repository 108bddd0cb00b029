import type { Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import {
  parseEvacuatorAnnotations,
  renderEvacuatorAnnotations,
  validateEvacuatorAnnotations,
} from '../../api/evacuation/evacuator-annotations.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'

/** Null takes an annotation away, as in a merge patch. */
export type AnnotationChange = Readonly<Record<string, string | null>>

/** Built-in evacuators claim pods that say nothing of them; this is what lets others see it. Empty: they see it. */
export function registerChange({ metadata }: Pod, registration: Registration): AnnotationChange {
  const present = metadata.annotations ?? {}
  const isThere = parseEvacuatorAnnotations(present).evacuators.some(isOf(registration.evacuatorClass))
  const added = renderEvacuatorAnnotations(registration)
  // Others registered meanwhile what does not go together with it. The Evacuation counts; this only tells of it.
  const doesNotFit = validateEvacuatorAnnotations({ ...present, ...added }).length > 0
  if (isThere || doesNotFit) return {}
  const classes = registeredClasses(present)
  const all = classes.includes(registration.evacuatorClass) ? classes : [...classes, registration.evacuatorClass]
  return { ...added, [annotations.registeredEvacuators]: all.toSorted().join(',') }
}

/** Takes off what registerChange put on, and nothing that others did. */
export function unregisterChange({ metadata }: Pod, evacuatorClass: string): AnnotationChange {
  const present = metadata.annotations ?? {}
  const classes = registeredClasses(present)
  if (!classes.includes(evacuatorClass)) return {}
  const rest = classes.filter((name) => name !== evacuatorClass)
  const keys = Object.keys(renderEvacuatorAnnotations({ evacuatorClass, priority: 0 }))
  const off = Object.fromEntries(keys.filter((key) => Object.hasOwn(present, key)).map((key) => [key, null]))
  return { ...off, [annotations.registeredEvacuators]: rest.length === 0 ? null : rest.join(',') }
}

/** The classes that Lifeboat registered. */
export function registeredClasses(present: Readonly<Record<string, string>> = {}): string[] {
  return (present[annotations.registeredEvacuators] ?? '').split(',').filter((name) => name !== '')
}

function isOf(evacuatorClass: string) {
  return (evacuator: Registration) => evacuator.evacuatorClass === evacuatorClass
}
