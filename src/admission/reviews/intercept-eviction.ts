import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { annotations, evictionInProgressValue } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { keyOf, type Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { allowed, type Answer, type Denied } from './answer.ts'
import type { Claims } from './claims.ts'
import { decideInterception, joiningPatch, parseEviction, passBecauseOfPod } from './decide-interception.ts'
import type { Lookups } from './lookups.ts'

/** Always the same words: kubectl prints a warning that it has printed before no more. */
export const interceptionWarning =
  'Lifeboat turns the eviction of this pod into an Evacuation; to empty a node, create a NodeMaintenance instead of running kubectl drain'

const joinAttemptsMax = 2

export interface InterceptionParts {
  readonly kube: Pick<Kube, 'create' | 'patch'>
  readonly lookups: Pick<Lookups, 'pod' | 'evacuation'>
  readonly claims: Claims
  readonly isPodEvictPolicyOn: boolean
  readonly log: Log
  readonly nowMs: number
}

/** Somebody's eviction of a pod that an evacuator claims becomes an Evacuation; they are told to ask again. */
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
  const evacuationKey = { namespace, name: evacuationName(podRefOf(pod)) }
  const [evacuation, claimed] = await Promise.all([lookups.evacuation(evacuationKey, signal), claims(pod)])
  const { evictingEvacuator } = facts
  const decision = decideInterception(
    { pod, evacuation, claims: claimed, evictingEvacuator, isPodEvictPolicyOn },
    nowMs,
  )
  switch (decision.kind) {
    case 'pass':
      return allowed
    case 'wait':
      return triggered(evacuationKey)
    case 'create':
      await createOrJoin(decision.evacuation, parts, signal)
      break
    case 'join':
      await join(decision.evacuation, parts, signal)
      break
    default:
      decision satisfies never
  }
  await markPod(pod, parts, signal)
  return triggered(evacuationKey)
}

/**
 * No retryAfterSeconds: the API server would make a Retry-After header of it, and clients written with client-go then
 * ask again by themselves up to ten times, without telling whoever runs them.
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

async function createOrJoin(evacuation: Evacuation, parts: InterceptionParts, signal: AbortSignal): Promise<void> {
  try {
    await parts.kube.create(evacuations, evacuation, { signal })
  } catch (error) {
    if (!isKubeError(error, 'alreadyExists')) throw error
    const { namespace = '', name = '' } = evacuation.metadata
    const existing = await parts.lookups.evacuation({ namespace, name }, signal)
    if (existing !== undefined) await join(existing, parts, signal)
  }
}

/** Adds our intent to an Evacuation that is there. One that goes away meanwhile is made anew when somebody asks again. */
async function join(
  evacuation: DeepReadonly<Evacuation>,
  { kube, lookups, nowMs }: InterceptionParts,
  signal: AbortSignal,
): Promise<void> {
  let current: DeepReadonly<Evacuation> | undefined = evacuation
  for (let attempts = 1; current !== undefined; attempts++) {
    const isGoing: boolean = current.metadata.deletionTimestamp !== undefined
    const body = isGoing ? undefined : joiningPatch(current, nowMs)
    if (body === undefined) return
    const key = { namespace: current.metadata.namespace ?? '', name: current.metadata.name ?? '' }
    try {
      await kube.patch(evacuations, key, { type: 'merge', body }, { signal })
      return
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound')) throw error
      if (attempts >= joinAttemptsMax) return
      current = await lookups.evacuation(key, signal)
    }
  }
}

/**
 * The UID in the patch makes the API server refuse it for another pod of the same name. The mark is a courtesy to the
 * descheduler: whatever keeps it off must not let the eviction pass, now that there is an Evacuation.
 */
async function markPod(pod: DeepReadonly<Pod>, { kube, log }: InterceptionParts, signal: AbortSignal): Promise<void> {
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
