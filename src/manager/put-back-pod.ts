import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { annotations } from '../api/names.ts'
import { hasTraces, isReleased, removeTraces, restorePod } from '../evacuators/deployment/release-pod.ts'
import { registeredClasses, unregisterChange } from '../evacuators/workload/registration.ts'
import { releasedFromOf } from '../evacuators/workload/released-from.ts'
import type { MetadataChange } from '../evacuators/workload/workload-evacuator.ts'

/** What Lifeboat puts on a pod whose Evacuation it carries out. */
const podMarks: readonly string[] = [annotations.podEvictWanted, annotations.evictionInProgress]

/** Where a released pod would go back to; undefined: it is not released. */
export function formerReplicaSetOf(pod: DeepReadonly<Pod>): string | undefined {
  return isReleased(pod) ? releasedFromOf(pod)?.replicaSet : undefined
}

/**
 * What makes the pod what it was before its evacuation, as a merge patch of its metadata; undefined: nothing. `goes`: it
 * was released from what is gone by now, so nobody would take it back. The garbage collector would find that its
 * Evacuation is gone too, but not once it no longer knows the kind.
 */
export function puttingBack(
  pod: DeepReadonly<Pod>,
  world: { readonly hasReplicaSet: boolean },
): MetadataChange | 'goes' | undefined {
  const present = pod.metadata.annotations ?? {}
  const from = isReleased(pod) ? releasedFromOf(pod) : undefined
  if (from !== undefined && !world.hasReplicaSet) return 'goes'
  const release = from !== undefined ? restorePod(pod, from) : hasTraces(pod) ? removeTraces(pod) : undefined
  const marks = podMarks.filter((mark) => Object.hasOwn(present, mark)).map((mark) => [mark, null] as const)
  const change = {
    ...Object.fromEntries(marks),
    ...unregisterAll(pod),
    ...release?.change.metadata?.annotations,
  }
  if (release === undefined && Object.keys(change).length === 0) return undefined
  return { ...release?.change.metadata, annotations: change }
}

function unregisterAll(pod: DeepReadonly<Pod>): Readonly<Record<string, string | null>> {
  const classes = registeredClasses(pod.metadata.annotations)
  if (classes.length === 0) return {}
  const changes = classes.map((evacuatorClass) => unregisterChange(pod, evacuatorClass))
  return { ...(Object.assign({}, ...changes) as object), [annotations.registeredEvacuators]: null }
}
