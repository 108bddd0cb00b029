import type { Evacuation } from '../api/evacuation.ts'
import { instigatorFinalizer } from '../api/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { instigators } from '../api/names.ts'
import { podRefOfEvacuation, type PodRef } from '../api/pod-reference.ts'

export interface OrphanSearch {
  readonly evacuations: readonly DeepReadonly<Evacuation>[]
  readonly findPod: (ref: PodRef) => Promise<DeepReadonly<Pod> | undefined>
  readonly isDraining: (node: string) => boolean
  readonly withdraw: (ref: PodRef) => Promise<unknown>
}

export function isAskedByMaintenance({ metadata }: DeepReadonly<Evacuation>): boolean {
  return metadata.finalizers?.includes(instigatorFinalizer(instigators.nodeMaintenance)) ?? false
}

/**
 * Evacuations that a maintenance asked for and that nobody withdrew: it went, and the marks of its nodes with it, while
 * nobody was there to see. Looked for once at the start; from then on nothing goes unseen.
 */
export async function withdrawOrphans(search: OrphanSearch): Promise<number> {
  let count = 0
  for (const evacuation of search.evacuations.filter(isAskedByMaintenance)) {
    const ref = podRefOfEvacuation(evacuation)
    const pod = await search.findPod(ref)
    // A pod that is gone ends its evacuation anyway; one without a node is on none that is drained.
    if (pod === undefined || pod.metadata.uid !== ref.uid || search.isDraining(pod.spec?.nodeName ?? '')) continue
    await search.withdraw(ref)
    count++
  }
  return count
}
