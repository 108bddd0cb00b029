import { type Evacuation } from '../../api/evacuation/evacuation.ts'
import { parseEvacuatorAnnotations } from '../../api/evacuation/evacuator-annotations.ts'
import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { instigatorFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import { annotations, evacuatorClasses, instigators } from '../../api/names.ts'
import type { Evictor } from '../rights/evictor.ts'
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
  /** A pod of a DaemonSet whose node is under no maintenance: what evicts it there counts on its coming back or not. */
  readonly isFreeDaemon: boolean
  /** Who asks, as far as its rights tell. */
  readonly evictor: Evictor
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
  const { evictingEvacuator, evictor } = view
  const evacuation = isWithoutEffect(view) ? undefined : view.evacuation
  const active = evacuation?.status?.activeEvacuatorClass
  if (active !== undefined && active === evictingEvacuator) return { kind: 'pass', why: 'activeEvacuator' }
  if (isUnderWay(evacuation)) {
    if (evictor === 'evacuator') return { kind: 'pass', why: 'activeEvacuator' }
    // It may be the evacuator. Its own eviction must not keep an evacuation alive that its instigators withdrew.
    const isAsked = evacuation.metadata.finalizers?.includes(interceptionFinalizer) === true
    return evictor === 'unclear' && !isAsked ? { kind: 'wait' } : { kind: 'request', known: evacuation }
  }
  if (!isClaimed(view)) return { kind: 'pass', why: 'unclaimed' }
  return evacuation === undefined ? { kind: 'request', known: undefined } : { kind: 'wait' }
}

const interceptionFinalizer = instigatorFinalizer(instigators.evictionInterception)

/** There is one, and it takes intents. */
export function isUnderWay(evacuation: Evacuation | undefined): evacuation is Evacuation {
  return evacuation !== undefined && evacuation.metadata.deletionTimestamp === undefined
}

/** An evacuator of another vendor has its turn, and the eviction does not say that it comes from there. */
export function mayComeFromEvacuator(evacuation: Evacuation, { evictingEvacuator }: EvictionFacts): boolean {
  const { activeEvacuatorClass: active, activeEvacuatorCompleted = false } = evacuation.status ?? {}
  if (active === undefined || active === evictingEvacuator || activeEvacuatorCompleted) return false
  return !Object.values<string>(evacuatorClasses).includes(active)
}

/** Its one evacuator leaves such a pod where it is. */
function isWithoutEffect({ evacuation, isFreeDaemon }: EvictionView): boolean {
  return isFreeDaemon && (evacuation?.spec.evacuators ?? []).every(isOfDaemonSets)
}

function isClaimed({ pod, claims, isPodEvictPolicyOn, isFreeDaemon }: EvictionView): boolean {
  const takesOver = pod.metadata.annotations?.[annotations.evictPolicy] === 'ControllerTakeOver'
  const { evacuators } = parseEvacuatorAnnotations(pod.metadata.annotations)
  const counting = [...claims, ...evacuators].filter((evacuator) => !isFreeDaemon || !isOfDaemonSets(evacuator))
  return counting.length > 0 || (isPodEvictPolicyOn && takesOver)
}

function isOfDaemonSets({ evacuatorClass }: Evacuator): boolean {
  return evacuatorClass === evacuatorClasses.daemonSet
}
