import { requestEvacuation, type EvacuationKube } from '../../evacuation-client/request-evacuation.ts'
import { evacuationKeyOf } from '../../evacuation-client/evacuation-key.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { annotations, evictionInProgressValue } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { allowed, type Answer, type Denied } from './answer.ts'
import type { Claims } from './claims.ts'
import { decideInterception, parseEviction, passBecauseOfPod, requestFor } from './decide-interception.ts'
import type { Lookups } from './lookups.ts'

/** Always the same words: kubectl prints a warning that it has printed before no more. */
export const interceptionWarning =
  'Lifeboat turns the eviction of this pod into an Evacuation; to empty a node, create a NodeMaintenance instead of running kubectl drain'

export interface InterceptionParts {
  readonly kube: EvacuationKube
  readonly lookups: Pick<Lookups, 'pod' | 'evacuation'>
  readonly claims: Claims
  readonly isPodEvictPolicyOn: boolean
  readonly log: Log
  readonly nowMs: number
}

/** A client's eviction of a pod that an evacuator claims becomes an Evacuation; the client is told to ask again. */
export async function interceptEviction(
  request: Pick<AdmissionRequest, 'namespace' | 'name' | 'object' | 'dryRun'>,
  parts: InterceptionParts,
  signal: AbortSignal,
): Promise<Answer> {
  const facts = parseEviction(request)
  if (facts.isDryRun) return allowed
  const { lookups, claims, isPodEvictPolicyOn, nowMs } = parts
  const { namespace, name } = request
  const pod = await lookups.pod({ namespace, name }, signal)
  if (pod === undefined || passBecauseOfPod(pod, facts) !== undefined) return allowed
  const evacuationKey = evacuationKeyOf(podRefOf(pod))
  const [evacuation, claimed] = await Promise.all([lookups.evacuation(evacuationKey, signal), claims(pod)])
  const { evictingEvacuator } = facts
  const decision = decideInterception({ pod, evacuation, claims: claimed, evictingEvacuator, isPodEvictPolicyOn })
  switch (decision.kind) {
    case 'pass':
      return allowed
    case 'wait':
      return triggered(evacuationKey)
    case 'request': {
      const asked = await requestEvacuation(parts.kube, { ...requestFor(pod, claimed, nowMs), signal }, decision.known)
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
