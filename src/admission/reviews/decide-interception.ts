import { type EvacuationRequest, requestForPod } from '../../evacuation-client/build-evacuation.ts'
import { type Evacuation } from '../../api/evacuation/evacuation.ts'
import { parseEvacuatorAnnotations } from '../../api/evacuation/evacuator-annotations.ts'
import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations, instigators } from '../../api/names.ts'
import { recordOf, textOf, type AdmissionRequest } from './admission-request.ts'

/** All that decides about an eviction request of another client. */
export interface EvictionView {
  readonly pod: Pod
  /** The one under the name that the pod's Evacuation has. */
  readonly evacuation: Evacuation | undefined
  readonly claims: readonly Evacuator[]
  /** The class that the Eviction says it comes from; empty if it says none. */
  readonly evictingEvacuator: string
  readonly isPodEvictPolicyOn: boolean
}

export type Interception =
  /** Let it through: it is not ours to stop. */
  | { readonly kind: 'pass'; readonly why: PassReason }
  /** Create the Evacuation, or join the one that is there. */
  | { readonly kind: 'request'; readonly known: Evacuation | undefined }
  /** The Evacuation is about to go and takes no new intent: a client that asks again gets a new one. */
  | { readonly kind: 'wait' }

export type PassReason = 'noPod' | 'podIsLeaving' | 'otherPod' | 'activeEvacuator' | 'unclaimed'

/** What an Eviction says beside the pod that it is about. */
export interface EvictionFacts {
  readonly isDryRun: boolean
  /** Empty: any pod of that name. */
  readonly podUid: string
  readonly evictingEvacuator: string
}

/** A dry run may be asked for in the URL or in the body alone; the API server tells webhooks only of the former. */
export function parseEviction({ object, dryRun }: Pick<AdmissionRequest, 'object' | 'dryRun'>): EvictionFacts {
  const eviction = recordOf(object)
  const deleteOptions = recordOf(eviction['deleteOptions'])
  const inBody = deleteOptions['dryRun']
  const metadata = recordOf(eviction['metadata'])
  return {
    isDryRun: dryRun || (Array.isArray(inBody) && inBody.length > 0),
    podUid: textOf(recordOf(deleteOptions['preconditions'])['uid']),
    evictingEvacuator: textOf(recordOf(metadata['annotations'])[annotations.evictingEvacuator]),
  }
}

/** Before the Evacuation is looked up: why this pod is none to evacuate. */
export function passBecauseOfPod(pod: Pod | undefined, facts: EvictionFacts): PassReason | undefined {
  if (pod === undefined) return 'noPod'
  if (facts.podUid !== '' && facts.podUid !== pod.metadata.uid) return 'otherPod'
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
  return isOver || pod.metadata.deletionTimestamp !== undefined ? 'podIsLeaving' : undefined
}

export function decideInterception(view: EvictionView): Interception {
  const { evacuation, evictingEvacuator } = view
  const isGoing = evacuation?.metadata.deletionTimestamp !== undefined
  const active = evacuation?.status?.activeEvacuatorClass
  if (active !== undefined && active === evictingEvacuator) return { kind: 'pass', why: 'activeEvacuator' }
  if (evacuation !== undefined && !isGoing) return { kind: 'request', known: evacuation }
  if (!isClaimed(view)) return { kind: 'pass', why: 'unclaimed' }
  return isGoing ? { kind: 'wait' } : { kind: 'request', known: undefined }
}

function isClaimed({ pod, claims, isPodEvictPolicyOn }: EvictionView): boolean {
  const takesOver = pod.metadata.annotations?.[annotations.evictPolicy] === 'ControllerTakeOver'
  if (claims.length > 0 || (isPodEvictPolicyOn && takesOver)) return true
  return parseEvacuatorAnnotations(pod.metadata.annotations).evacuators.length > 0
}

/** By which the eviction of the pod is asked for instead. */
export function requestFor(pod: Pod, claims: readonly Evacuator[], nowMs: number): EvacuationRequest {
  return { ...requestForPod(pod, claims), instigator: instigators.evictionInterception, wishedAtMs: nowMs }
}
