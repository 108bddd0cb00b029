import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { leaveAsBefore } from '../workload/deletion-cost.ts'
import { registeredClasses, unregisterChange } from '../workload/registration.ts'
import { releasedFromOf } from '../workload/released-from.ts'
import type { MetadataChange } from '../workload/workload-evacuator.ts'
import { hasTraces, isReleased, removeTraces, restorePod, wouldAdopt } from './release-pod.ts'

/** What Lifeboat puts on a pod whose Evacuation it carries out. */
const podMarks: readonly string[] = [annotations.podEvictWanted, annotations.evictionInProgress]

/** Where a released pod would go back to; undefined: it is not released. */
export function formerReplicaSetOf(pod: Pod): string | undefined {
  return isReleased(pod) ? releasedFromOf(pod)?.replicaSet : undefined
}

/**
 * What makes the pod what it was before its evacuation, as a merge patch of its metadata; undefined: nothing. The
 * ReplicaSet is the one that the pod names. Without one that would adopt the pod, the pod only loses its traces: the
 * garbage collector deletes it with its workload, and a pod that was left behind on purpose stays.
 */
export function puttingBack(pod: Pod, replicaSet: ReplicaSet | undefined): MetadataChange | undefined {
  const present = pod.metadata.annotations ?? {}
  const release = releaseUndone(pod, replicaSet)
  const marks = podMarks.filter((mark) => Object.hasOwn(present, mark)).map((mark) => [mark, null] as const)
  const change = {
    ...Object.fromEntries(marks),
    ...unregisterAll(pod),
    ...leaveAsBefore(pod),
    ...release?.annotations,
  }
  if (release === undefined && Object.keys(change).length === 0) return undefined
  return { ...release, annotations: change }
}

function releaseUndone(pod: Pod, replicaSet: ReplicaSet | undefined): MetadataChange | undefined {
  const from = isReleased(pod) ? releasedFromOf(pod) : undefined
  const isTaker = replicaSet !== undefined && replicaSet.metadata.deletionTimestamp === undefined
  if (from !== undefined && isTaker && wouldAdopt(replicaSet, pod, from)) return restorePod(pod, from).change.metadata
  return hasTraces(pod) ? removeTraces(pod).change.metadata : undefined
}

function unregisterAll(pod: Pod): Readonly<Record<string, string | null>> {
  const classes = registeredClasses(pod.metadata.annotations)
  if (classes.length === 0) return {}
  const changes = classes.map((evacuatorClass) => unregisterChange(pod, evacuatorClass))
  return { ...(Object.assign({}, ...changes) as object), [annotations.registeredEvacuators]: null }
}
