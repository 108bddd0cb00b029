import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { instigators } from '../../api/names.ts'
import { podRefOfEvacuation, type PodRef } from '../../api/evacuation/pod-reference.ts'

export interface OrphanSearch {
  /** As the API server has it now. */
  readonly findPod: (ref: PodRef) => Promise<Pod | undefined>
  readonly isDraining: (node: string) => boolean
  readonly withdraw: (ref: PodRef) => Promise<unknown>
}

export function isAskedByMaintenance({ metadata }: Evacuation): boolean {
  return metadata.finalizers?.includes(instigatorFinalizer(instigators.nodeMaintenance)) ?? false
}

/** Asked for, and nobody has deleted it: one that is being deleted moves no pod any more. */
export function isUnderWay(evacuation: Evacuation | undefined): boolean {
  return evacuation !== undefined && isAskedByMaintenance(evacuation) && !isEnding(evacuation)
}

/** It goes as soon as everybody who holds it lets go, and only then can there be another one. */
export function isEnding(evacuation: Evacuation | undefined): boolean {
  return evacuation?.metadata.deletionTimestamp !== undefined
}

/**
 * Withdraws from an Evacuation that somebody else deleted: the finalizer would keep it, and with it the pod, for good.
 * Withdraws an Evacuation that a maintenance asked for and that nobody wants any more: it was on its way when its node
 * was given back, or all marks of the maintenance went while nobody was there to see. True: it was withdrawn.
 */
export async function withdrawIfDue(
  evacuation: Evacuation,
  { findPod, isDraining, withdraw }: OrphanSearch,
): Promise<boolean> {
  if (!isAskedByMaintenance(evacuation)) return false
  if (isEnding(evacuation)) {
    await withdraw(podRefOfEvacuation(evacuation))
    return true
  }
  // No pod moves to another node, so there is no need to look it up: after a drain that would be a read for every pod.
  if (isDraining(nodeOfEvacuation(evacuation) ?? '')) return false
  const ref = podRefOfEvacuation(evacuation)
  const pod = await findPod(ref)
  // A pod that is gone ends its evacuation anyway; one without a node is on none that is drained.
  if (pod === undefined || pod.metadata.uid !== ref.uid || isDraining(pod.spec?.nodeName ?? '')) return false
  await withdraw(ref)
  return true
}
