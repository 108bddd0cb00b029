import { evacuationType, type Evacuation } from '../../api/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { releasedFromOf, renderReleasedFrom, type ReleasedFrom } from '../workload/released-from.ts'
import type { MetadataChange, PatchWrite } from '../workload/workload-evacuator.ts'

/** By this label a ReplicaSet knows its pods from those of the other ReplicaSets of its Deployment. */
export const hashLabel = 'pod-template-hash'

/**
 * Takes the pod out of its ReplicaSet, which lets go of it and starts another one; Services and budgets go on counting
 * it. Its Evacuation becomes its owner, beside the ReplicaSet that is still named there, so that it never stays behind
 * alone.
 */
export function releasePod(
  pod: DeepReadonly<Pod>,
  evacuation: DeepReadonly<Evacuation>,
  from: ReleasedFrom,
): PatchWrite {
  const { name = '', uid = '' } = evacuation.metadata
  const others = (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
  const owner = { ...evacuationType, name, uid, controller: false, blockOwnerDeletion: false }
  return patchPod(pod, {
    labels: { [hashLabel]: null },
    annotations: { [annotations.releasedFrom]: renderReleasedFrom(from) },
    ownerReferences: [...others, owner],
  })
}

/** Puts the pod back: its ReplicaSet adopts it and removes whichever pod is too many then. */
export function restorePod(pod: DeepReadonly<Pod>, from: ReleasedFrom): PatchWrite {
  return patchPod(pod, { labels: { [hashLabel]: from.hash }, ...withoutTraces(pod) })
}

/** For a pod that somebody else put back. */
export function removeTraces(pod: DeepReadonly<Pod>): PatchWrite {
  return patchPod(pod, withoutTraces(pod))
}

/** Whether its ReplicaSet has let go of it, or is about to. */
export function isReleased(pod: DeepReadonly<Pod>): boolean {
  return releasedFromOf(pod) !== undefined && pod.metadata.labels?.[hashLabel] === undefined
}

export function hasTraces({ metadata }: DeepReadonly<Pod>): boolean {
  return (
    metadata.annotations?.[annotations.releasedFrom] !== undefined ||
    (metadata.ownerReferences ?? []).some((owner) => owner.kind === evacuationType.kind)
  )
}

function withoutTraces({ metadata }: DeepReadonly<Pod>): MetadataChange {
  return {
    annotations: { [annotations.releasedFrom]: null },
    ownerReferences: (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== evacuationType.kind),
  }
}

function patchPod(object: DeepReadonly<Pod>, metadata: MetadataChange): PatchWrite {
  return { kind: 'patch', resource: pods, object, change: { metadata } }
}
