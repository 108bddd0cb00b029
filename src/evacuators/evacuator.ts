import type { Blocker } from '../api/blocker/blocker.ts'
import type { Evacuation, EvacuationCancellationPolicy } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { Kube } from '../kube/client/client.ts'

/** Knows how to get a pod off its node, or does a part of it. The loop around it does the rest. */
export interface Evacuator {
  /** A DNS subdomain: the one in the annotation of the pods. */
  readonly evacuatorClass: string
  /** Has something to do for a pod that a client deleted, such as removing a finalizer: `step` is called for it, too. */
  readonly actsOnDeletedPods?: true
  /**
   * Called again and again while this class is the active one of an Evacuation and the pod is there, one call at a time for each Evacuation. After a restart it is called as if for the first time, so it looks at the
   * world and not at its memory. A throw means that something unexpected happened: the Evacuation says so, no progress is
   * reported, and it is called again after a back-off.
   */
  step(turn: Turn): Promise<StepResult>
  /**
   * Only where there is something to put back. Called when the Evacuation was cancelled and the pod is still there, until
   * it says `completed`; also after the turn passed to another evacuator. While it is defined, the loop holds the
   * Evacuation with a finalizer from before the first step on, so that there is time to put things back.
   */
  cancel?(turn: Turn): Promise<CancelResult>
}

/** What there is to look at in one call. */
export interface Turn {
  readonly evacuation: Evacuation
  /** Read for this call; its UID is the one that the Evacuation names. */
  readonly pod: Pod
  /** Wall-clock time. */
  readonly nowMs: number
  /** Aborts when the turn is over, with a TurnEnded as its reason, or when the process stops. */
  readonly signal: AbortSignal
  readonly kube: Kube
}

export type StepResult = Working | Waiting | Completed | Evict

export type CancelResult = Working | Waiting | Completed

/** Something is being done: the Evacuation shows progress, which keeps the turn. */
export interface Working {
  readonly kind: 'working'
  readonly message: string
  /** When to call again, 10 s if left out; never later than the next report of progress is due. */
  readonly againInMs?: number
  /** Wall-clock time; left out if it is unknown. */
  readonly expectedFinishMs?: number
  /**
   * Left out, it stays as it is. A step that comes to its point of no return first returns Forbid, and goes beyond it in
   * its next call: by then the API server refuses the cancellation.
   */
  readonly cancellation?: EvacuationCancellationPolicy
}

/**
 * Nothing can be done now, and this is why. No progress is reported: if it lasts until the deadline, the turn passes on,
 * as KEP-4563 wants it.
 */
export interface Waiting {
  readonly kind: 'waiting'
  /** A reason is one word in CamelCase. */
  readonly because: Blocker | { readonly reason: string; readonly message: string }
  /** It passes by itself, as a turn does: there is time to say it. */
  readonly passes?: true
  readonly againInMs?: number
  readonly cancellation?: EvacuationCancellationPolicy
}

/** This part is done, or there is nothing to do. The next evacuator follows; after the last one the pod is evicted. */
export interface Completed {
  readonly kind: 'completed'
  readonly message: string
  /** Gives up the hold early: a cancellation does not call `cancel` any more. */
  readonly nothingToPutBack?: true
}

/** The pod can go: the loop asks the API server to evict it. A refusal is shown, and `step` is called again. */
export interface Evict {
  readonly kind: 'evict'
  /**
   * Evictions with the same name here go one after the other. Pods of one workload share a budget, and of evictions
   * that reach it at once the API server lets all but one wait for half a second or more.
   */
  readonly among?: string
}
