import { evacuationType } from '../../api/evacuation/evacuation.ts'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { OwnerReference } from '../../api/kubernetes/meta.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { annotations, labels } from '../../api/names.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { releasedFromOf, renderReleasedFrom, type ReleasedFrom } from '../workload/released-from.ts'
import type { MetadataChange, PatchWrite } from '../workload/workload-evacuator.ts'

/** By this label a ReplicaSet knows its pods from those of the other ReplicaSets of its Deployment. */
export const hashLabel = 'pod-template-hash'

/**
 * Takes the pod out of its ReplicaSet, which starts another one; Services and budgets still count the pod. The
 * ReplicaSet stays its owner and is no longer its controller, so the pod is deleted with its workload and with nothing
 * else: whatever becomes of the Evacuation, the garbage collector leaves the pod alone.
 */
export function releasePod(pod: Pod, replicaSet: ReplicaSet, from: ReleasedFrom): PatchWrite {
  return patchPod(pod, {
    labels: { [hashLabel]: null, [labels.released]: 'true' },
    annotations: { [annotations.releasedFrom]: renderReleasedFrom(from) },
    ownerReferences: ownersWith(pod, replicaSet),
  })
}

/**
 * For a released pod that is not tied to its ReplicaSet: an older Lifeboat made the Evacuation its owner, or the
 * ReplicaSet was deleted without its pods and created again.
 */
export function tiePod(pod: Pod, replicaSet: ReplicaSet): PatchWrite {
  return patchPod(pod, { labels: { [labels.released]: 'true' }, ownerReferences: ownersWith(pod, replicaSet) })
}

export function isTied({ metadata }: Pod, replicaSet: ReplicaSet): boolean {
  const owners = metadata.ownerReferences ?? []
  return (
    metadata.labels?.[labels.released] !== undefined &&
    owners.some(({ uid }) => uid === replicaSet.metadata.uid) &&
    !owners.some(isEvacuation)
  )
}

/** Puts the pod back: its ReplicaSet adopts it and removes whichever pod is too many then. */
export function restorePod(pod: Pod, from: ReleasedFrom): PatchWrite {
  const { labels: removed, ...others } = withoutTraces(pod)
  return patchPod(pod, { ...others, labels: { ...removed, [hashLabel]: from.hash } })
}

/** For a pod that another client put back, or that nothing would take back. */
export function removeTraces(pod: Pod): PatchWrite {
  return patchPod(pod, withoutTraces(pod))
}

/** A pod that has a controller is not released, whatever its annotations say. */
export function isReleased(pod: Pod): boolean {
  return (
    releasedFromOf(pod) !== undefined &&
    pod.metadata.labels?.[hashLabel] === undefined &&
    controllerOf(pod) === undefined
  )
}

/** Whether the ReplicaSet would take the pod back: an annotation alone does not make a pod one of its pods. */
export function wouldAdopt({ spec }: ReplicaSet, { metadata }: Pod, { hash }: ReleasedFrom): boolean {
  if (spec?.selector === undefined) return false
  return matchesLabelSelector(spec.selector, { ...metadata.labels, [hashLabel]: hash })
}

export function hasTraces({ metadata }: Pod): boolean {
  return (
    metadata.annotations?.[annotations.releasedFrom] !== undefined ||
    metadata.labels?.[labels.released] !== undefined ||
    (metadata.ownerReferences ?? []).some(isEvacuation)
  )
}

function withoutTraces({ metadata }: Pod): MetadataChange {
  const owners = metadata.ownerReferences ?? []
  return {
    labels: { [labels.released]: null },
    annotations: { [annotations.releasedFrom]: null },
    ...(owners.some(isEvacuation) ? { ownerReferences: owners.filter((owner) => !isEvacuation(owner)) } : {}),
  }
}

function ownersWith({ metadata }: Pod, replicaSet: ReplicaSet): OwnerReference[] {
  const { name, uid } = replicaSet.metadata
  const { group, version, kind } = replicaSets
  const others = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid && !isEvacuation(owner))
  const plain = { apiVersion: `${group}/${version}`, kind, name, uid, controller: false, blockOwnerDeletion: false }
  return [...others, plain]
}

function isEvacuation({ kind, apiVersion }: OwnerReference): boolean {
  return kind === evacuationType.kind && apiVersion === evacuationType.apiVersion
}

function patchPod(object: Pod, metadata: MetadataChange): PatchWrite {
  return { kind: 'patch', resource: pods, object, change: { metadata } }
}
