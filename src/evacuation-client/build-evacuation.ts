import type { Pod } from '../api/kubernetes/core.ts'
import type { New } from '../api/kubernetes/meta.ts'
import { withoutMark } from '../api/evacuation/finished-mark.ts'
import { resolveEvacuators } from '../api/evacuation/resolve-evacuators.ts'
import { evacuationLimits, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Evacuator } from '../api/evacuation/evacuator.ts'
import { instigatorFinalizer, withFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import { type PodRef, podRefOf } from '../api/evacuation/pod-reference.ts'
import { annotations } from '../api/names.ts'
import { evacuationKeyOf } from './evacuation-key.ts'

export interface EvacuationWish {
  /** DNS subdomain of who wants the pod gone, such as descheduler.example.com. Not the class of an evacuator. */
  readonly instigator: string
  readonly pod: PodRef
  readonly signal?: AbortSignal
  /** For a wish that lapses unless it is repeated: when it was uttered. An Evacuation that exists is told so, too. */
  readonly wishedAtMs?: number
}

export interface EvacuationRequest extends EvacuationWish {
  /** How long an evacuator may be silent: 600 to 21600, 1800 if left out. Counts only where the Evacuation is new. */
  readonly progressDeadlineSeconds?: number
  /** Beside those of the pod. Counts only where the Evacuation is new. */
  readonly evacuators?: readonly Evacuator[]
  /** Beside those of the pod. Counts only where the Evacuation is new. */
  readonly labels?: Readonly<Record<string, string>>
  /** Where the pod is. Counts only where the Evacuation is new. */
  readonly node?: string
  /** Counts only where the Evacuation is new. */
  readonly annotations?: Readonly<Record<string, string>>
  /** The evacuator that will begin, for who knows that it takes a hold first: it has it then. Counts only as above. */
  readonly heldBy?: string
}

/** What a request says about the pod itself; `claims` are the built-in evacuators that claim it. */
export function requestForPod(pod: Pod, claims: readonly Evacuator[]) {
  const { labels } = pod.metadata
  const node = pod.spec?.nodeName
  return {
    pod: podRefOf(pod),
    evacuators: resolveEvacuators(pod, claims),
    ...(labels === undefined ? {} : { labels }),
    ...(node === undefined ? {} : { node }),
  }
}

/** So fresh a wish is not written again: it lapses after half an hour. */
export const wishRefreshMs = 60_000

/** The Evacuation by which an instigator asks for a pod to leave. */
export function buildEvacuation(request: EvacuationRequest): New<Evacuation> {
  const { instigator, pod, evacuators = [], labels, heldBy } = request
  const { progressDeadlineSeconds = evacuationLimits.progressDeadlineSecondsDefault } = request
  const notes = notesOf(request)
  return {
    metadata: {
      ...evacuationKeyOf(pod),
      finalizers: [instigator, ...(heldBy === undefined ? [] : [heldBy])].map(instigatorFinalizer),
      ...(labels === undefined ? {} : { labels: withoutMark(labels) }),
      ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
    },
    spec: {
      podRef: { name: pod.name, uid: pod.uid },
      progressDeadlineSeconds,
      ...(evacuators.length === 0 ? {} : { evacuators: [...evacuators] }),
    },
  }
}

function notesOf({ node, annotations: given, wishedAtMs }: EvacuationRequest): Record<string, string> {
  return {
    ...given,
    ...(wishedAtMs === undefined ? {} : wishedAt(wishedAtMs)),
    ...(node === undefined ? {} : { [annotations.evacuatedFrom]: node }),
  }
}

function wishedAt(atMs: number): Record<string, string> {
  return { [annotations.evictionRequestedAt]: new Date(atMs).toISOString() }
}

/** What to change on an Evacuation so that it knows that the instigator asks for it; undefined if it does. A merge patch. */
export function joiningPatch({ metadata }: Evacuation, { instigator, wishedAtMs }: EvacuationWish): object | undefined {
  const { finalizers = [], annotations: present = {}, resourceVersion } = metadata
  const finalizer = instigatorFinalizer(instigator)
  const isKnown = wishedAtMs === undefined || isFresh(present[annotations.evictionRequestedAt], wishedAtMs)
  if (finalizers.includes(finalizer) && isKnown) return undefined
  const notes = wishedAtMs === undefined ? {} : { annotations: wishedAt(wishedAtMs) }
  return { metadata: { resourceVersion, finalizers: withFinalizer(finalizers, finalizer), ...notes } }
}

function isFresh(time: string | undefined, nowMs: number): boolean {
  const atMs = Date.parse(time ?? '')
  return atMs <= nowMs && atMs > nowMs - wishRefreshMs
}
