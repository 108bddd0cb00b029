import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { podRefOf, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { NamespacedObject } from '../api/kubernetes/meta.ts'
import { idOf, type NamespacedKey } from '../api/kubernetes/object-id.ts'

/** Which Evacuation. Its name has the UID of the pod in it, so that a key never means two pods. */
export type EvacuationKey = NamespacedKey

/** Of the Evacuation that the pod has, or would have. */
export function evacuationKeyOf(pod: PodRef): EvacuationKey {
  return { namespace: pod.namespace, name: evacuationName(pod) }
}

/** The same as text. */
export function evacuationIdOf(pod: NamespacedObject): string {
  return idOf(evacuationKeyOf(podRefOf(pod)))
}
