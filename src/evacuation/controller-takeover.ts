import type { BlockerOf } from '../api/blocker/blocker.ts'
import { evacuationConditions } from '../api/evacuation/evacuation.ts'
import { isTakenOver } from '../api/evacuation/evict-policy.ts'
import { instigatorFinalizer, intentsOf } from '../api/evacuation/instigator-finalizers.ts'
import { annotations, instigators } from '../api/names.ts'
import { podRefOfEvacuation } from '../api/evacuation/pod-reference.ts'
import type { Decision } from './decision.ts'
import { conditionOf, controllerEvictTimeoutMs, type EvacuationView } from './view.ts'

/** Of the intent that stands for Kubernetes, which wants the pods of a dead node gone. */
export const taintEviction = instigatorFinalizer(instigators.taintEviction)

/** Pod Evict Policy: the evictor asks the controller first, and evicts all the same when that takes too long. */
export function controllerTakesOver(
  { evacuation, pod, settings }: EvacuationView,
  nowMs: number,
): Decision | undefined {
  // Without a controller nothing can take over.
  if (!settings.podEvictPolicy || pod === undefined || !isTakenOver(pod)) return undefined
  const timeoutMs = controllerEvictTimeoutMs(pod, settings)
  const blocker = takeover(evacuation, pod, timeoutMs)
  const asked = conditionOf(evacuation, evacuationConditions.controllerAsked)
  if (asked === undefined) return { kind: 'askController', blocker }
  const untilMs = Date.parse(asked.lastTransitionTime) + timeoutMs
  if (nowMs >= untilMs) return undefined
  if (pod.metadata.annotations?.[annotations.podEvictWanted] !== 'true') return { kind: 'askController', blocker }
  return { kind: 'wait', untilMs, blocker }
}

function takeover(
  evacuation: EvacuationView['evacuation'],
  pod: NonNullable<EvacuationView['pod']>,
  timeoutMs: number,
): BlockerOf<'controllerTakeover'> {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  const node = pod.spec?.nodeName
  return {
    kind: 'controllerTakeover',
    pod: podRefOfEvacuation(evacuation),
    ...(owner === undefined ? {} : { owner: `${owner.kind} ${owner.name}` }),
    ...(isOfDeadNodeOnly(evacuation) && node !== undefined ? { node } : {}),
    waitedMs: 0,
    timeoutMs,
  }
}

function isOfDeadNodeOnly(evacuation: EvacuationView['evacuation']): boolean {
  const intents = intentsOf(evacuation)
  return intents.length > 0 && intents.every((finalizer) => finalizer === taintEviction)
}

/** Wanted gone only because its node does not report: Kubernetes deletes it when its own time is up, and not before. */
export function kubernetesDeletesIt({ evacuation, pod, settings }: EvacuationView): Decision | undefined {
  if (pod === undefined || !isOfDeadNodeOnly(evacuation)) return undefined
  return { kind: 'wait', blocker: takeover(evacuation, pod, controllerEvictTimeoutMs(pod, settings)) }
}
