import type { Pod } from '../kubernetes/core.ts'
import type { DeepReadonly } from '../kubernetes/meta.ts'
import type { PodRef } from './pod-reference.ts'

/** How somebody asks for the evacuation of a pod, and no longer. The manager hands it in. */
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
