import { requestForPod, type EvacuationWish } from '../../evacuation-client/build-evacuation.ts'
import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import { joinOrCreate, type EvacuationKube } from '../../evacuation-client/request-evacuation.ts'
import { evacuationKeyOf } from '../../evacuation-client/evacuation-key.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { intendedNodeOf, maintenanceStandingOf } from '../../api/maintenance/maintenance-hold.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import { annotations, evictionInProgressValue, instigators } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { allowed, type Answer, type Denied } from './answer.ts'
import type { Evictor } from '../rights/evictor.ts'
import {
  decideInterception,
  isUnderWay,
  mayComeFromEvacuator,
  parseEviction,
  passBecauseOfPod,
} from './decide-interception.ts'
import type { Lookups } from './lookups.ts'

/** Always the same words: kubectl prints a warning that it has printed before no more. */
export const interceptionWarning =
  'Lifeboat turns the eviction of this pod into an Evacuation; to empty a node, create a NodeMaintenance instead of running kubectl drain'

export interface InterceptionParts {
  readonly kube: EvacuationKube
  readonly lookups: Pick<Lookups, 'pod' | 'evacuation' | 'node'>
  readonly claims: ClaimsLookup
  /** Who asks; looked up only where it matters. */
  readonly evictor: (signal: AbortSignal) => Promise<Evictor>
  readonly isPodEvictPolicyOn: boolean
  readonly log: Log
  readonly nowMs: number
}

/**
 * A client's eviction of a pod that an evacuator claims becomes an Evacuation; the client is told to ask again. Many ask
 * every few seconds until the pod is gone: with an Evacuation there, only that and the pod are read.
 */
export async function interceptEviction(
  request: Pick<AdmissionRequest, 'namespace' | 'name' | 'object' | 'dryRun'>,
  parts: InterceptionParts,
  signal: AbortSignal,
): Promise<Answer> {
  const facts = parseEviction(request)
  if (facts.isDryRun) return allowed
  const { lookups, isPodEvictPolicyOn, nowMs } = parts
  const { namespace, name } = request
  const pod = await lookups.pod({ namespace, name }, signal)
  if (pod === undefined || passBecauseOfPod(pod, facts) !== undefined) return allowed
  const evacuationKey = evacuationKeyOf(podRefOf(pod))
  const evacuation = await lookups.evacuation(evacuationKey, signal)
  // Some seconds old is good enough: the controller looks at what is missing before it evicts.
  const claimed = async () => parts.claims(pod, { isFresh: false, signal })
  const isJoined = isUnderWay(evacuation)
  const asksWho = isJoined && mayComeFromEvacuator(evacuation, facts)
  const [claims, isFree, evictor] = await Promise.all([
    isJoined ? [] : claimed(),
    isFreeDaemon(pod, lookups, signal),
    asksWho ? parts.evictor(signal) : ('other' as const),
  ])
  const { evictingEvacuator } = facts
  const view = { pod, evacuation, claims, evictingEvacuator, isPodEvictPolicyOn, isFreeDaemon: isFree, evictor }
  const decision = decideInterception(view)
  switch (decision.kind) {
    case 'pass':
      return allowed
    case 'wait':
      return triggered(evacuationKey)
    case 'request': {
      const { known } = decision
      const wish: EvacuationWish = {
        instigator: instigators.evictionInterception,
        pod: podRefOf(pod),
        wishedAtMs: nowMs,
        signal,
      }
      const whenNew = async () => ({ ...requestForPod(pod, isJoined ? await claimed() : claims), ...wish })
      const asked = await joinOrCreate(parts.kube, wish, { known, whenNew })
      // No answer of ours: the API server then ignores this webhook, and the eviction passes.
      if (asked.kind === 'refused') throw asked.error ?? new Error(asked.message)
      if (asked.kind === 'podGone') return allowed
      await markPod(pod, parts, signal)
      return triggered(evacuationKey)
    }
    default:
      return decision satisfies never
  }
}

async function isFreeDaemon(pod: Pod, lookups: InterceptionParts['lookups'], signal: AbortSignal): Promise<boolean> {
  if (podTypeOf(pod) !== 'DaemonSet') return false
  const name = intendedNodeOf(pod)
  const node = name === undefined ? undefined : await lookups.node(name, signal)
  return maintenanceStandingOf(pod, node).kind === 'notUnderMaintenance'
}

/**
 * No retryAfterSeconds: the API server would make a Retry-After header of it, and clients written with client-go then
 * ask again by themselves up to ten times, without telling their users.
 */
function triggered({ namespace, name }: { readonly namespace: string; readonly name: string }): Denied {
  return {
    allowed: false,
    code: 429,
    reason: 'TooManyRequests',
    // The upstream descheduler looks for the first three words.
    message: `Eviction triggered evacuation ${namespace}/${name}`,
    warnings: [interceptionWarning],
  }
}

/**
 * The UID in the patch makes the API server refuse it for another pod of the same name. The mark is a courtesy to the
 * descheduler: whatever keeps it off must not let the eviction pass, now that there is an Evacuation.
 */
async function markPod(pod: Pod, { kube, log }: InterceptionParts, signal: AbortSignal): Promise<void> {
  if (pod.metadata.annotations?.[annotations.evictionInProgress] !== undefined) return
  const body = {
    metadata: { uid: pod.metadata.uid, annotations: { [annotations.evictionInProgress]: evictionInProgressValue } },
  }
  try {
    await kube.patch(pods, keyOf(pod), { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isKubeError(error)) throw error
    const { namespace, name } = pod.metadata
    log.info({ pod: `${namespace}/${name}`, err: error }, 'could not mark the pod as being evacuated')
  }
}
