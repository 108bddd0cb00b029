import { blockerReason, type Blocker } from '../api/blocker.ts'
import { evacuationConditions } from '../api/evacuation.ts'
import { byPriorityThenClass } from '../api/evacuator.ts'
import { instigatorFinalizer, intentsOf, isInstigatorFinalizer } from '../api/instigator-finalizers.ts'
import { annotations, evictionInProgressValue, instigators } from '../api/names.ts'
import { podRefOfEvacuation } from '../api/pod-reference.ts'
import { podTypeOf } from '../api/pod-type.ts'
import { resolveEvacuators } from '../api/resolve-evacuators.ts'
import { conditionOf, lastProgressMs, progressDeadlineMs, type EvacuationView, type LastEviction } from './view.ts'

export type Decision =
  /** The pod is gone: instigator finalizers go, then the Evacuation. */
  | { readonly kind: 'finish' }
  /** Take annotations that speak of this evacuation off a pod that stays. */
  | { readonly kind: 'tidyPod'; readonly annotations: readonly string[] }
  /** Nobody has asked to evict the pod for a while: that intent ends. */
  | { readonly kind: 'lapse' }
  | { readonly kind: 'cancel' }
  /** Look up which built-in evacuators claim the pod. */
  | { readonly kind: 'askClaims'; readonly isFresh: boolean }
  /** It was created while no webhook was there to complete it: it ends, and the pod stays. */
  | { readonly kind: 'endIncomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'select'; readonly evacuatorClass: string }
  | {
      readonly kind: 'switch'
      readonly from: string
      readonly evacuatorClass: string
      readonly why: 'completed' | 'silent'
    }
  /** Ask the controller of the pod to take it away. */
  | { readonly kind: 'askController' }
  | { readonly kind: 'recordRefusal'; readonly blocker: Blocker }
  | { readonly kind: 'evict' }
  | Wait

export interface Wait {
  readonly kind: 'wait'
  /** Look again then, whatever happens before; undefined: only when something happens. */
  readonly untilMs?: number
  /** What the status should name. */
  readonly blocker?: Blocker
  /** The status says enough as it is, or is the active evacuator's to write. */
  readonly statusStays?: true
}

export const limits = {
  /** An intent that came as an eviction request lapses so long after the last one. */
  interceptionLapseMs: 10 * 60_000,
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
  podIsTerminating,
  refusalIsUnrecorded,
  lacksEvacuators,
  noEvacuatorYet,
  evacuatorIsAtIt,
  nextEvacuator,
  cannotBeEvicted,
  controllerTakesOver,
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

/** Somebody deleted it while the pod lives, which admission allows only under Allow: that is a cancellation. */
function isBeingDeleted(view: EvacuationView): Decision | undefined {
  const { metadata } = view.evacuation
  if (metadata.deletionTimestamp === undefined) return undefined
  const marks = marksOf(view)
  if (marks.length > 0) return { kind: 'tidyPod', annotations: marks }
  return metadata.finalizers?.includes(interception) === true ? { kind: 'lapse' } : { kind: 'wait', statusStays: true }
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
  const atMs = lapseAtMs(view)
  return atMs !== undefined && nowMs >= atMs ? { kind: 'lapse' } : undefined
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

function podIsTerminating({ evacuation, pod }: EvacuationView, nowMs: number): Decision | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = pod?.metadata ?? {}
  if (deletionTimestamp === undefined) return undefined
  const graceMs = deletionGracePeriodSeconds * 1_000
  // The timestamp is when the grace period is over, not when the deletion was asked for.
  const sinceMs = Date.parse(deletionTimestamp) - graceMs
  const elapsedMs = nowMs - sinceMs
  if (elapsedMs < limits.terminatingSilentMs) {
    return { kind: 'wait', untilMs: sinceMs + limits.terminatingSilentMs, statusStays: true }
  }
  const ref = podRefOfEvacuation(evacuation)
  const { atLeastMs, nextMs } = doubling(elapsedMs)
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

/**
 * Before anybody acts on it: whoever created an Evacuation past the webhook must not get past the evacuators that the
 * pod names, nor past the built-in ones that claim it. What is missing counts only if it was looked up just now.
 */
function lacksEvacuators({ evacuation, pod, claims }: EvacuationView): Decision | undefined {
  if (evacuation.status?.activeEvacuatorClass !== undefined || pod === undefined) return undefined
  if (claims === undefined) return { kind: 'askClaims', isFresh: false }
  const present = new Set(evacuation.spec.evacuators?.map(({ evacuatorClass }) => evacuatorClass))
  const expected = resolveEvacuators(pod, claims.evacuators).map(({ evacuatorClass }) => evacuatorClass)
  const missing = expected.filter((evacuatorClass) => !present.has(evacuatorClass))
  if (missing.length === 0) return undefined
  return claims.isFresh ? { kind: 'endIncomplete', missing } : { kind: 'askClaims', isFresh: true }
}

function noEvacuatorYet({ evacuation }: EvacuationView): Decision | undefined {
  if (evacuation.status?.activeEvacuatorClass !== undefined) return undefined
  const first = inOrder(evacuation.spec.evacuators)[0]
  return first === undefined ? undefined : { kind: 'select', evacuatorClass: first }
}

function inOrder(evacuators: EvacuationView['evacuation']['spec']['evacuators'] = []): string[] {
  return evacuators.toSorted(byPriorityThenClass).map(({ evacuatorClass }) => evacuatorClass)
}

function evacuatorIsAtIt({ evacuation, lastEviction }: EvacuationView, nowMs: number): Decision | undefined {
  const { activeEvacuatorClass, activeEvacuatorCompleted } = evacuation.status ?? {}
  const deadlineAtMs = progressDeadlineMs(evacuation)
  if (activeEvacuatorClass === undefined || activeEvacuatorCompleted === true || nowMs >= deadlineAtMs) return undefined
  const deadlineMs = evacuation.spec.progressDeadlineSeconds * 1_000
  const sinceMs = lastProgressMs(evacuation)
  const halfAtMs = sinceMs + deadlineMs / 2
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
  // The last evacuator said what it waits for, which is more than that nobody else can do it.
  const isExplained = blocked?.status === 'True' && blocked.reason !== silentReason
  if (activeEvacuatorClass !== undefined && activeEvacuatorCompleted !== true && isExplained)
    return { kind: 'wait', statusStays: true }
  return { kind: 'wait', blocker: { kind: 'notEvictable', pod: podRefOfEvacuation(evacuation), podType } }
}

function refusalIsUnrecorded({ lastEviction }: EvacuationView): Decision | undefined {
  if (lastEviction?.kind !== 'refused' || lastEviction.recorded) return undefined
  return { kind: 'recordRefusal', blocker: lastEviction.blocker }
}

/** Pod Evict Policy: whoever would evict asks the controller first, and evicts all the same when that takes too long. */
function controllerTakesOver({ evacuation, pod, settings }: EvacuationView, nowMs: number): Decision | undefined {
  const { annotations: onPod = {}, ownerReferences = [] } = pod?.metadata ?? {}
  const wanted = settings.podEvictPolicy && onPod[annotations.evictPolicy] === 'ControllerTakeOver'
  // Without a controller there is nobody to take over.
  if (!wanted || !ownerReferences.some(({ controller }) => controller === true)) return undefined
  const asked = conditionOf(evacuation, evacuationConditions.controllerAsked)
  if (asked === undefined) return { kind: 'askController' }
  const sinceMs = Date.parse(asked.lastTransitionTime)
  const timeoutMs = settings.controllerEvictTimeoutMs
  if (nowMs >= sinceMs + timeoutMs) return undefined
  if (onPod[annotations.podEvictWanted] !== 'true') return { kind: 'askController' }
  const blocker: Blocker = { kind: 'controllerTakeover', pod: podRefOfEvacuation(evacuation), waitedMs: 0, timeoutMs }
  return { kind: 'wait', untilMs: sinceMs + timeoutMs, blocker }
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
