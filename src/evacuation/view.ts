import type { Blocker } from '../api/blocker/blocker.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Evacuator } from '../api/evacuation/evacuator.ts'
import { evictTimeoutMsOf } from '../api/evacuation/evict-policy.ts'
import type { NodeSilence } from '../api/maintenance/node-silence.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { Condition } from '../api/kubernetes/meta.ts'
import { timestamp } from '../api/kubernetes/timestamp.ts'

/** Everything decide may look at. */
export interface EvacuationView {
  readonly evacuation: Evacuation
  /** Undefined: it is gone for sure, or another one has its name. */
  readonly pod: Pod | undefined
  readonly lastEviction: LastEviction | undefined
  /** Undefined: not looked up yet. */
  readonly claims: Claims | undefined
  /** Left out: not looked up. */
  readonly node?: { readonly silence: NodeSilence | undefined }
  readonly settings: EvacuationSettings
}

/** The built-in evacuators that claim the pod. */
export interface Claims {
  readonly evacuators: readonly Evacuator[]
  /** False: from what was read a moment ago. */
  readonly isFresh: boolean
}

export interface EvacuationSettings {
  /** The gate PodEvictPolicy. */
  readonly podEvictPolicy: boolean
  /** How long a controller that takes over may take before the pod is evicted all the same, unless the pod says. */
  readonly controllerEvictTimeoutMs: number
}

/** How long the controller of this pod has. */
export function controllerEvictTimeoutMs(pod: Pod, settings: EvacuationSettings): number {
  return evictTimeoutMsOf(pod) ?? settings.controllerEvictTimeoutMs
}

/**
 * What became of the last eviction that this process asked for. A restart forgets it, and the next eviction comes at
 * once: a refused one does no harm, and how often it was refused is in the status.
 */
export type LastEviction =
  /** Accepted, or the outcome is unknown: the pod will tell. */
  | { readonly kind: 'asked'; readonly atMs: number }
  | {
      readonly kind: 'refused'
      readonly blocker: Blocker
      readonly retryAtMs: number
      /** False until the refusal stands in the status. */
      readonly recorded: boolean
    }

export function conditionOf(evacuation: Evacuation, type: string): Condition | undefined {
  return evacuation.status?.conditions?.find((condition) => condition.type === type)
}

/** When the active evacuator has been silent for too long: counted from its last progress, or from the creation. */
export function progressDeadlineMs(evacuation: Evacuation): number {
  return lastProgressMs(evacuation) + evacuation.spec.progressDeadlineSeconds * 1_000
}

export function lastProgressMs({ metadata, status }: Evacuation): number {
  return Date.parse(status?.evacuationProgressTimestamp ?? metadata.creationTimestamp ?? '')
}

/** A report of progress, and when this process first saw it. */
export interface SeenProgress {
  readonly reported: string | undefined
  readonly seenAtMs: number
}

export function seeProgress(before: SeenProgress | undefined, { status }: Evacuation, nowMs: number): SeenProgress {
  const reported = status?.evacuationProgressTimestamp
  return before !== undefined && before.reported === reported ? before : { reported, seenAtMs: nowMs }
}

/**
 * The Evacuation with its last progress not later than it was seen. The clock of an evacuator may be ahead: what it
 * reports for a time to come is read as now, and counts from then on like any other progress.
 */
export function withProgressNotAhead(evacuation: Evacuation, { reported, seenAtMs }: SeenProgress): Evacuation {
  const { status } = evacuation
  if (status === undefined || reported === undefined || Date.parse(reported) <= seenAtMs) return evacuation
  return { ...evacuation, status: { ...status, evacuationProgressTimestamp: timestamp(seenAtMs) } }
}
