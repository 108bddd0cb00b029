import { blockerReason, renderBlocker, type Blocker } from '../api/blocker.ts'
import { withCondition } from '../api/condition.ts'
import { newEvacuationStatus, type Evacuation, type EvacuationStatus } from '../api/evacuation.ts'
import type { Condition, DeepReadonly } from '../api/kubernetes/meta.ts'
import { conditionOf, conditionTypes } from './view.ts'

// What the controller writes into the status of an Evacuation: pure, each function is one kind of write.

/** Null takes a field away, as in a merge patch. */
export type StatusChange = { readonly [Field in keyof EvacuationStatus]?: EvacuationStatus[Field] | null }

export function selected(evacuation: DeepReadonly<Evacuation>, evacuatorClass: string, nowMs: number): StatusChange {
  return { ...handedTo(evacuation, evacuatorClass, nowMs), message: `Evacuator ${evacuatorClass} was selected` }
}

export function switched(
  evacuation: DeepReadonly<Evacuation>,
  hand: { readonly from: string; readonly evacuatorClass: string; readonly why: 'completed' | 'silent' },
  nowMs: number,
): StatusChange {
  return { ...handedTo(evacuation, hand.evacuatorClass, nowMs), message: switchedMessage(evacuation, hand) }
}

export function switchedMessage(
  { spec }: DeepReadonly<Evacuation>,
  { from, evacuatorClass, why }: { readonly from: string; readonly evacuatorClass: string; readonly why: string },
): string {
  const reason = why === 'completed' ? 'completed' : `reported no progress for ${spec.progressDeadlineSeconds} s`
  return `Switched from evacuator ${from}, which ${reason}, to ${evacuatorClass}`
}

function handedTo(evacuation: DeepReadonly<Evacuation>, evacuatorClass: string, nowMs: number): StatusChange {
  return {
    activeEvacuatorClass: evacuatorClass,
    activeEvacuatorCompleted: false,
    evacuationProgressTimestamp: timestamp(nowMs),
    expectedEvacuationFinishTime: null,
    ...unblocked(evacuation, nowMs),
  }
}

export function refused(evacuation: DeepReadonly<Evacuation>, blocker: Blocker, nowMs: number): StatusChange {
  const { failedEvictionCounter } = evacuation.status ?? newEvacuationStatus
  return { failedEvictionCounter: failedEvictionCounter + 1, ...blocked(evacuation, blocker, nowMs) }
}

/** Remembers since when the controller of the pod has been asked; asked again, that moment stays. */
export function controllerAsked(
  evacuation: DeepReadonly<Evacuation>,
  blocker: Blocker,
  nowMs: number,
): StatusChange | undefined {
  if (conditionOf(evacuation, conditionTypes.controllerAsked) !== undefined) return undefined
  const asked = { type: conditionTypes.controllerAsked, status: 'True', reason: 'EvictWanted', message: '' } as const
  const { conditions = [], ...change } = blocked(evacuation, blocker, nowMs)
  return { ...change, conditions: withCondition(conditions ?? [], asked, timestamp(nowMs)) }
}

/** What the status lacks to say what blocks, or undefined: it says so already. */
export function blockedIfNews(
  evacuation: DeepReadonly<Evacuation>,
  blocker: Blocker | undefined,
  nowMs: number,
): StatusChange | undefined {
  const present = conditionOf(evacuation, conditionTypes.blocked)
  if (blocker === undefined) return present?.status === 'True' ? unblocked(evacuation, nowMs) : undefined
  const isKnown =
    present?.status === 'True' &&
    present.reason === blockerReason(blocker) &&
    present.message === renderBlocker(blocker)
  return isKnown ? undefined : blocked(evacuation, blocker, nowMs)
}

function blocked(evacuation: DeepReadonly<Evacuation>, blocker: Blocker, nowMs: number): StatusChange {
  const message = renderBlocker(blocker)
  const condition = { type: conditionTypes.blocked, status: 'True', reason: blockerReason(blocker), message } as const
  const conditions = withCondition(conditionsOf(evacuation), condition, timestamp(nowMs))
  // The last words of an evacuator that fell silent say more about where it stopped than that it did.
  return blocker.kind === 'silentEvacuator' ? { conditions } : { message, conditions }
}

function unblocked(evacuation: DeepReadonly<Evacuation>, nowMs: number): StatusChange {
  if (conditionOf(evacuation, conditionTypes.blocked)?.status !== 'True') return {}
  const condition = { type: conditionTypes.blocked, status: 'False', reason: 'Progressing', message: '' } as const
  return { conditions: withCondition(conditionsOf(evacuation), condition, timestamp(nowMs)) }
}

function conditionsOf({ status }: DeepReadonly<Evacuation>): readonly Readonly<Condition>[] {
  return status?.conditions ?? []
}

/** Kubernetes keeps these times to the second; rounded down, they are never in the future. */
export function timestamp(nowMs: number): string {
  return new Date(Math.floor(nowMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}
