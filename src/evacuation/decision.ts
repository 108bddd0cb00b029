import type { Blocker, BlockerOf } from '../api/blocker/blocker.ts'

export type Decision =
  /** The pod is gone: instigator finalizers go, then the Evacuation. */
  | { readonly kind: 'finish' }
  /** Take annotations that speak of this evacuation off a pod that stays. */
  | { readonly kind: 'tidyPod'; readonly annotations: readonly string[] }
  /** No instigator stands behind this intent any more: it ends. */
  | { readonly kind: 'lapse'; readonly finalizer: string }
  | { readonly kind: 'cancel' }
  /** Look up which built-in evacuators claim the pod. */
  | { readonly kind: 'askClaims'; readonly isFresh: boolean }
  /** Look at the node of the pod. */
  | { readonly kind: 'askNode' }
  /** It was created while no webhook was there to complete it: it ends, and the pod stays. */
  | { readonly kind: 'endIncomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'select'; readonly evacuatorClass: string }
  | {
      readonly kind: 'switch'
      readonly from: string
      readonly evacuatorClass: string
      readonly why: 'completed' | 'silent'
    }
  /** Ask the controller of the pod to take it away. */
  | { readonly kind: 'askController'; readonly blocker: BlockerOf<'controllerTakeover'> }
  /** Without a blocker: an evacuator has said something newer. */
  | { readonly kind: 'recordRefusal'; readonly failures: number; readonly blocker?: Blocker }
  | { readonly kind: 'evict' }
  | Wait

export interface Wait {
  readonly kind: 'wait'
  /** Look again then, whatever happens before; undefined: only when something happens. */
  readonly untilMs?: number
  /** What the status should name. */
  readonly blocker?: Blocker
  /** The status says enough as it is, or is the active evacuator's to write. */
  readonly statusStays?: true
}
