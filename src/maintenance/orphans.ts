import { nodeOfEvacuation } from '../api/evacuated-from.ts'
import type { Evacuation } from '../api/evacuation.ts'
import { instigatorFinalizer } from '../api/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { instigators } from '../api/names.ts'
import { podRefOfEvacuation, type PodRef } from '../api/pod-reference.ts'

export interface OrphanSearch {
  /** As the API server has it now. */
  readonly findPod: (ref: PodRef) => Promise<DeepReadonly<Pod> | undefined>
  readonly isDraining: (node: string) => boolean
  readonly withdraw: (ref: PodRef) => Promise<unknown>
}

export function isAskedByMaintenance({ metadata }: DeepReadonly<Evacuation>): boolean {
  return metadata.finalizers?.includes(instigatorFinalizer(instigators.nodeMaintenance)) ?? false
}

/**
 * Withdraws an Evacuation that a maintenance asked for and that nobody wants any more: it was on its way when its node
 * was given back, or all marks of the maintenance went while nobody was there to see. True: it was one.
 */
export async function withdrawIfOrphaned(
  evacuation: DeepReadonly<Evacuation>,
  { findPod, isDraining, withdraw }: OrphanSearch,
): Promise<boolean> {
  if (!isAskedByMaintenance(evacuation)) return false
  // No pod moves to another node, so there is no need to look it up: after a drain that would be a read for every pod.
  if (isDraining(nodeOfEvacuation(evacuation) ?? '')) return false
  const ref = podRefOfEvacuation(evacuation)
  const pod = await findPod(ref)
  // A pod that is gone ends its evacuation anyway; one without a node is on none that is drained.
  if (pod === undefined || pod.metadata.uid !== ref.uid || isDraining(pod.spec?.nodeName ?? '')) return false
  await withdraw(ref)
  return true
}
