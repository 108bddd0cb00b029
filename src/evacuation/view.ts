import { blockerReason, type Blocker } from '../api/blocker/blocker.ts'
import { evacuationConditions, type Evacuation } from '../api/evacuation/evacuation.ts'
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
      /** How many there were then, with this one: the status says so from when it stands there. */
      readonly failures: number
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
  /** Of what was reported before this process led: nothing saw then whether the evacuator could speak. */
  readonly notBeforeMs?: number
}

export function seeProgress(
  before: SeenProgress | undefined,
  { status }: Evacuation,
  { nowMs, leadingSinceMs }: { readonly nowMs: number; readonly leadingSinceMs: number },
): SeenProgress {
  const reported = status?.evacuationProgressTimestamp
  // Without any report the creation counts, as KEP-4563 says.
  if (before === undefined && reported !== undefined) return { reported, seenAtMs: nowMs, notBeforeMs: leadingSinceMs }
  if (before === undefined) return { reported, seenAtMs: nowMs }
  return before.reported === reported ? before : { reported, seenAtMs: nowMs }
}

/**
 * The Evacuation with its last progress as it counts. The clock of an evacuator may be ahead: what it reports for a time
 * to come is read as now. And the time before this process led counts for no silence.
 */
export function withCountedProgress(evacuation: Evacuation, seen: SeenProgress): Evacuation {
  const { status } = evacuation
  const progressMs = lastProgressMs(evacuation)
  // Also what is no time at all.
  const isAhead = !(progressMs <= seen.seenAtMs)
  const pastMs = isAhead ? seen.seenAtMs : progressMs
  const countedMs = Math.max(seen.notBeforeMs ?? pastMs, pastMs)
  if (status === undefined || countedMs === progressMs) return evacuation
  return { ...evacuation, status: { ...status, evacuationProgressTimestamp: timestamp(countedMs) } }
}

/** What the condition Blocked says where the deletion of the pod has no end. */
const terminations: ReadonlySet<string> = new Set(
  (['terminating', 'finalizers', 'silentNode'] as const).map((kind) => blockerReason({ kind })),
)

export function saysWhatHoldsDeletedPod(evacuation: Evacuation): boolean {
  const blocked = conditionOf(evacuation, evacuationConditions.blocked)
  return blocked?.status === 'True' && terminations.has(blocked.reason)
}
