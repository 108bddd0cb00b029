import { blockerReason } from '../api/blocker/blocker.ts'
import { evacuationConditions } from '../api/evacuation/evacuation.ts'
import { byPriorityThenClass } from '../api/evacuation/evacuator.ts'
import { instigatorFinalizer, intentsOf, isInstigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import { annotations, evacuatorClasses, evictionInProgressValue, instigators } from '../api/names.ts'
import { podRefOfEvacuation } from '../api/evacuation/pod-reference.ts'
import { podTypeOf } from '../api/maintenance/pod-type.ts'
import { resolveEvacuators } from '../api/evacuation/resolve-evacuators.ts'
import { controllerTakesOver, kubernetesDeletesIt, taintEviction } from './controller-takeover.ts'
import type { Decision, Wait } from './decision.ts'
import {
  conditionOf,
  lastProgressMs,
  progressDeadlineMs,
  saysWhatHoldsDeletedPod,
  type Claims,
  type EvacuationView,
  type LastEviction,
} from './view.ts'

export const limits = {
  /** An intent that came as an eviction request lapses so long after the last one; evictors back off to ten minutes. */
  interceptionLapseMs: 30 * 60_000,
  /** After an eviction was accepted, or its reply lost, the pod has this long to show it. */
  evictionShowsWithinMs: 15_000,
  /** A pod that terminates for less is not worth a write. */
  terminatingSilentMs: 10_000,
} as const

type Rule = (view: EvacuationView, nowMs: number) => Decision | undefined

/** In order; the first that answers decides. Behind all of them: evict. */
const rules: readonly Rule[] = [
  podIsGone,
  isBeingDeleted,
  eventuallyLapses,
  nobodyWantsIt,
  deletionIsFresh,
  refusalIsUnrecorded,
  deletionIsUntold,
  lacksEvacuators,
  noEvacuatorYet,
  evacuatorIsAtIt,
  nextEvacuator,
  podIsTerminating,
  cannotBeEvicted,
  controllerTakesOver,
  kubernetesDeletesIt,
  evictionWaits,
]

/** What the controller does next about one Evacuation. Pure: the view and the time say it all. */
export function decide(view: EvacuationView, nowMs: number): Decision {
  for (const rule of rules) {
    const decision = rule(view, nowMs)
    if (decision !== undefined) return decision.kind === 'wait' ? notBeyondLapse(decision, view, nowMs) : decision
  }
  return { kind: 'evict' }
}

function podIsGone({ evacuation, pod }: EvacuationView): Decision | undefined {
  if (pod !== undefined) return undefined
  const { deletionTimestamp, finalizers = [] } = evacuation.metadata
  // What is left then are finalizers of others, who take them away in their own time.
  const isDone = deletionTimestamp !== undefined && !finalizers.some(isInstigatorFinalizer)
  return isDone ? { kind: 'wait', statusStays: true } : { kind: 'finish' }
}

/** A client deleted it while the pod lives, which admission allows only under Allow: that is a cancellation. */
function isBeingDeleted(view: EvacuationView): Decision | undefined {
  const { metadata } = view.evacuation
  if (metadata.deletionTimestamp === undefined) return undefined
  const marks = marksOf(view)
  if (marks.length > 0) return { kind: 'tidyPod', annotations: marks }
  const isIntercepted = metadata.finalizers?.includes(interception) === true
  return isIntercepted ? { kind: 'lapse', finalizer: interception } : { kind: 'wait', statusStays: true }
}

const interception = instigatorFinalizer(instigators.evictionInterception)

/** When the intent behind eviction requests ends, if there is one. */
function lapseAtMs({ evacuation: { metadata } }: EvacuationView): number | undefined {
  if (metadata.finalizers?.includes(interception) !== true) return undefined
  const askedAtMs = Date.parse(metadata.annotations?.[annotations.evictionRequestedAt] ?? '')
  const sinceMs = Number.isNaN(askedAtMs) ? Date.parse(metadata.creationTimestamp ?? '') : askedAtMs
  return sinceMs + limits.interceptionLapseMs
}

function eventuallyLapses(view: EvacuationView, nowMs: number): Decision | undefined {
  const { evacuation, settings } = view
  // With the gate off Lifeboat does not follow dead nodes.
  if (!settings.podEvictPolicy && evacuation.metadata.finalizers?.includes(taintEviction) === true) {
    return { kind: 'lapse', finalizer: taintEviction }
  }
  const atMs = lapseAtMs(view)
  return atMs !== undefined && nowMs >= atMs ? { kind: 'lapse', finalizer: interception } : undefined
}

function notBeyondLapse(wait: Wait, view: EvacuationView, nowMs: number): Wait {
  const atMs = lapseAtMs(view)
  if (atMs === undefined || atMs <= nowMs) return wait
  return { ...wait, untilMs: Math.min(atMs, wait.untilMs ?? atMs) }
}

function nobodyWantsIt(view: EvacuationView): Decision | undefined {
  const { evacuation } = view
  if (intentsOf(evacuation).length > 0) return undefined
  if (evacuation.status?.evacuationCancellationPolicy === 'Forbid') return undefined
  const marks = marksOf(view)
  return marks.length > 0 ? { kind: 'tidyPod', annotations: marks } : { kind: 'cancel' }
}

/** Annotations on the pod that are there because of this evacuation. */
function marksOf({ pod, evacuation }: EvacuationView): string[] {
  const onPod = pod?.metadata.annotations ?? {}
  const wasAsked = conditionOf(evacuation, evacuationConditions.controllerAsked) !== undefined
  const wasIntercepted = evacuation.metadata.annotations?.[annotations.evictionRequestedAt] !== undefined
  const isOurs = onPod[annotations.evictionInProgress] === evictionInProgressValue
  return [
    ...(wasAsked && Object.hasOwn(onPod, annotations.podEvictWanted) ? [annotations.podEvictWanted] : []),
    ...(wasIntercepted && isOurs ? [annotations.evictionInProgress] : []),
  ]
}

/** When the deletion of the pod was asked for, and how long it may take. */
function deletionOf({ pod }: EvacuationView): { readonly sinceMs: number; readonly graceMs: number } | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod?.metadata ?? {}
  if (deletionTimestamp === undefined) return undefined
  const graceMs = deletionGracePeriodSeconds * 1_000
  // The timestamp is when the grace period is over, not when the deletion was asked for.
  return { sinceMs: Date.parse(deletionTimestamp) - graceMs, graceMs }
}

function deletionIsFresh(view: EvacuationView, nowMs: number): Decision | undefined {
  const deletion = deletionOf(view)
  if (deletion === undefined) return undefined
  const untilMs = deletion.sinceMs + limits.terminatingSilentMs
  return nowMs < untilMs ? { kind: 'wait', untilMs, statusStays: true } : undefined
}

/** Before the first evacuator is called: it may not be running, and then the Evacuation has said what there is to say. */
function deletionIsUntold(view: EvacuationView, nowMs: number): Decision | undefined {
  const isBegun = view.evacuation.status?.activeEvacuatorClass !== undefined
  return isBegun || saysWhatHoldsDeletedPod(view.evacuation) ? undefined : podIsTerminating(view, nowMs)
}

/** Takes the place of the eviction; evacuators have their turns with such a pod as with any other (KEP-4563). */
function podIsTerminating(view: EvacuationView, nowMs: number): Decision | undefined {
  const deletion = deletionOf(view)
  if (deletion === undefined) return undefined
  const { evacuation, pod, node } = view
  const { sinceMs, graceMs } = deletion
  const { finalizers = [] } = pod?.metadata ?? {}
  const elapsedMs = nowMs - sinceMs
  const ref = podRefOfEvacuation(evacuation)
  const { atLeastMs, nextMs } = doubling(elapsedMs)
  if (elapsedMs > graceMs && node === undefined) return { kind: 'askNode' }
  if (elapsedMs > graceMs && node?.silence !== undefined) {
    return { kind: 'wait', untilMs: sinceMs + nextMs, blocker: { kind: 'silentNode', pod: ref, ...node.silence } }
  }
  if (elapsedMs > graceMs && finalizers.length > 0) {
    return { kind: 'wait', blocker: { kind: 'finalizers', pod: ref, finalizers } }
  }
  return {
    kind: 'wait',
    untilMs: sinceMs + nextMs,
    blocker: { kind: 'terminating', pod: ref, elapsedMs: atLeastMs, graceMs },
  }
}

/** Time that passed is told in steps that double, so that a pod stuck for a day costs a dozen writes. */
function doubling(elapsedMs: number): { atLeastMs: number; nextMs: number } {
  const atLeastMs = limits.terminatingSilentMs * 2 ** Math.floor(Math.log2(elapsedMs / limits.terminatingSilentMs))
  return { atLeastMs, nextMs: atLeastMs * 2 }
}

/** On a dead node the owner's own pace counts, and not ours: built-in evacuators keep out of it. */
const nobodyClaims: Claims = { evacuators: [], isFresh: true }

/**
 * Before an evacuator acts on it: a client that created an Evacuation past the webhook must not get past the evacuators
 * that the pod names, nor past the built-in ones that claim it. What is missing counts only if it was looked up just
 * now.
 */
function lacksEvacuators({ evacuation, pod, claims }: EvacuationView): Decision | undefined {
  if (evacuation.status?.activeEvacuatorClass !== undefined || pod === undefined) return undefined
  // It is not evicted, so there is nothing to get past.
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const known = intentsOf(evacuation).includes(taintEviction) ? nobodyClaims : claims
  if (known === undefined) return { kind: 'askClaims', isFresh: false }
  const present = new Set(evacuation.spec.evacuators?.map(({ evacuatorClass }) => evacuatorClass))
  const expected = resolveEvacuators(pod, known.evacuators).map(({ evacuatorClass }) => evacuatorClass)
  const missing = expected.filter((evacuatorClass) => !present.has(evacuatorClass))
  if (missing.length === 0) return undefined
  return known.isFresh ? { kind: 'endIncomplete', missing } : { kind: 'askClaims', isFresh: true }
}

function noEvacuatorYet({ evacuation }: EvacuationView): Decision | undefined {
  if (evacuation.status?.activeEvacuatorClass !== undefined) return undefined
  const first = inOrder(evacuation.spec.evacuators)[0]
  return first === undefined ? undefined : { kind: 'select', evacuatorClass: first }
}

function inOrder(evacuators: EvacuationView['evacuation']['spec']['evacuators'] = []): string[] {
  return evacuators.toSorted(byPriorityThenClass).map(({ evacuatorClass }) => evacuatorClass)
}

function evacuatorIsAtIt(view: EvacuationView, nowMs: number): Decision | undefined {
  const { evacuation, lastEviction } = view
  const { activeEvacuatorClass, activeEvacuatorCompleted } = evacuation.status ?? {}
  const deadlineAtMs = progressDeadlineMs(evacuation)
  if (activeEvacuatorClass === undefined || activeEvacuatorCompleted === true || nowMs >= deadlineAtMs) return undefined
  const deadlineMs = evacuation.spec.progressDeadlineSeconds * 1_000
  const sinceMs = lastProgressMs(evacuation)
  const halfAtMs = sinceMs + deadlineMs / 2
  const held = evacuatorSpeaks(view, nowMs < halfAtMs) ? undefined : podIsTerminating(view, nowMs)
  if (held !== undefined)
    return held.kind === 'wait' ? { ...held, untilMs: Math.min(deadlineAtMs, held.untilMs ?? deadlineAtMs) } : held
  if (nowMs < halfAtMs) {
    // It is back: what the controller said meanwhile about its silence, or about evicting instead, holds no more.
    const wasSilent = conditionOf(evacuation, evacuationConditions.blocked)?.reason === silentReason
    const isOutdated = wasSilent || lastEviction?.kind === 'refused'
    return { kind: 'wait', untilMs: halfAtMs, ...(isOutdated ? {} : { statusStays: true }) }
  }
  const blocked = conditionOf(evacuation, evacuationConditions.blocked)
  // It said itself what it waits for, which is more than that it is silent.
  if (blocked?.status === 'True' && blocked.reason !== silentReason)
    return { kind: 'wait', untilMs: deadlineAtMs, statusStays: true }
  const pod = podRefOfEvacuation(evacuation)
  const silentMs = halfAtMs - sinceMs
  return {
    kind: 'wait',
    untilMs: deadlineAtMs,
    blocker: { kind: 'silentEvacuator', pod, evacuatorClass: activeEvacuatorClass, silentMs, deadlineMs },
  }
}

/** Whether the evacuator itself says how it gets on with a pod that is deleted. Those built in leave such a pod alone. */
function evacuatorSpeaks(view: EvacuationView, isRecent: boolean): boolean {
  const { evacuation } = view
  if (builtIn.has(evacuation.status?.activeEvacuatorClass)) return false
  const blocked = conditionOf(evacuation, evacuationConditions.blocked)
  if (blocked?.status === 'True') return blocked.reason !== silentReason && !saysWhatHoldsDeletedPod(evacuation)
  return isRecent && lastProgressMs(evacuation) >= (deletionOf(view)?.sinceMs ?? 0)
}

const builtIn: ReadonlySet<string | undefined> = new Set(Object.values(evacuatorClasses))
const silentReason = blockerReason({ kind: 'silentEvacuator' })

/** The active one completed or fell silent, as the rule before knows. */
function nextEvacuator({ evacuation }: EvacuationView): Decision | undefined {
  const { activeEvacuatorClass: from, activeEvacuatorCompleted } = evacuation.status ?? {}
  if (from === undefined) return undefined
  const classes = inOrder(evacuation.spec.evacuators)
  const evacuatorClass = classes[classes.indexOf(from) + 1]
  if (evacuatorClass === undefined) return undefined
  return { kind: 'switch', from, evacuatorClass, why: activeEvacuatorCompleted === true ? 'completed' : 'silent' }
}

function cannotBeEvicted({ evacuation, pod }: EvacuationView): Decision | undefined {
  const podType = pod === undefined ? 'Default' : podTypeOf(pod)
  if (podType === 'Default') return undefined
  const { activeEvacuatorClass, activeEvacuatorCompleted } = evacuation.status ?? {}
  const blocked = conditionOf(evacuation, evacuationConditions.blocked)
  // The last evacuator said what it waits for, which is more than that the pod cannot be evicted.
  const isExplained = blocked?.status === 'True' && blocked.reason !== silentReason
  if (activeEvacuatorClass !== undefined && activeEvacuatorCompleted !== true && isExplained)
    return { kind: 'wait', statusStays: true }
  return { kind: 'wait', blocker: { kind: 'notEvictable', pod: podRefOfEvacuation(evacuation), podType } }
}

function refusalIsUnrecorded(view: EvacuationView, nowMs: number): Decision | undefined {
  const { evacuation, lastEviction } = view
  if (lastEviction?.kind !== 'refused' || deletionOf(view) !== undefined) return undefined
  const { failures, blocker } = lastEviction
  if ((evacuation.status?.failedEvictionCounter ?? 0) >= failures) return undefined
  // An evacuator that is back has said something newer.
  const isBack = evacuatorIsAtIt(view, nowMs) !== undefined
  return { kind: 'recordRefusal', failures, ...(isBack ? {} : { blocker }) }
}

function evictionWaits({ lastEviction }: EvacuationView, nowMs: number): Decision | undefined {
  if (lastEviction === undefined) return undefined
  const untilMs = nextEvictionAtMs(lastEviction)
  if (nowMs >= untilMs) return undefined
  if (lastEviction.kind === 'asked') return { kind: 'wait', untilMs, statusStays: true }
  return { kind: 'wait', untilMs, blocker: lastEviction.blocker }
}

function nextEvictionAtMs(last: LastEviction): number {
  return last.kind === 'asked' ? last.atMs + limits.evictionShowsWithinMs : last.retryAtMs
}
