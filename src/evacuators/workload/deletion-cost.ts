import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { controllerOf } from './pod-state.ts'
import type { AnnotationChange } from './registration.ts'

/** The lowest that Kubernetes reads. */
const lowestCost = '-2147483648'
const countingKinds: ReadonlySet<string | undefined> = new Set(['ReplicaSet', 'ReplicationController'])

/**
 * KEP-4563: when a ReplicaSet is scaled down, pods that are to leave anyway go first, and not their replacements. Only
 * for a pod that waits while its ReplicaSet counts it. What the pod said before is noted beside it. Empty: it is there.
 */
export function leaveFirst(pod: Pod): AnnotationChange {
  const present = pod.metadata.annotations ?? {}
  const isCounted = countingKinds.has(controllerOf(pod)?.kind)
  if (!isCounted || present[annotations.deletionCostBefore] !== undefined) return {}
  return {
    [annotations.podDeletionCost]: lowestCost,
    [annotations.deletionCostBefore]: present[annotations.podDeletionCost] ?? '',
  }
}

/** Puts back what was noted, unless a user has set another cost meanwhile. */
export function leaveAsBefore({ metadata }: Pod): AnnotationChange {
  const present = metadata.annotations ?? {}
  const before = present[annotations.deletionCostBefore]
  if (before === undefined) return {}
  const isOurs = present[annotations.podDeletionCost] === lowestCost
  return {
    [annotations.deletionCostBefore]: null,
    ...(isOurs ? { [annotations.podDeletionCost]: before === '' ? null : before } : {}),
  }
}
