import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import type { PodRef } from '../api/pod-reference.ts'

/** How a maintenance asks for the evacuation of a pod. The manager hands it in. */
export interface Instigation {
  request(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<InstigationOutcome>
  withdraw(pod: PodRef, signal: AbortSignal): Promise<unknown>
}

export type InstigationOutcome =
  | { readonly kind: 'requested' }
  | { readonly kind: 'podGone' }
  /** An earlier Evacuation is on its way out. */
  | { readonly kind: 'beingCancelled' }
  | { readonly kind: 'refused'; readonly message: string }
