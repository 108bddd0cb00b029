import { blockedChange, blockedOf } from '../evacuation-client/blocked-condition.ts'
import { type Blocker } from '../api/blocker/blocker.ts'
import { withCondition } from '../api/schema/condition.ts'
import { evacuationConditions, type Evacuation, type EvacuationStatusChange } from '../api/evacuation/evacuation.ts'
import { evacuatorClasses } from '../api/names.ts'
import { timestamp } from '../api/kubernetes/timestamp.ts'
import { conditionOf, saysWhatHoldsDeletedPod } from './view.ts'

// What the controller writes into the status of an Evacuation: pure, each function is one kind of write.

export function selected(evacuation: Evacuation, evacuatorClass: string, nowMs: number): EvacuationStatusChange {
  const message = `Evacuator ${evacuatorClass} was selected${whatFollows[evacuatorClass] ?? ''}`
  return { ...handedTo(evacuation, evacuatorClass, nowMs), message }
}

/** This evacuator reports only what takes longer, to save writes. Until then a reader should know what happens. */
const whatFollows: Readonly<Record<string, string>> = {
  [evacuatorClasses.deployment]: '. It starts a replacement first, as far as the Deployment allows a surge',
}

export function switched(
  evacuation: Evacuation,
  hand: { readonly from: string; readonly evacuatorClass: string; readonly why: 'completed' | 'silent' },
  nowMs: number,
): EvacuationStatusChange {
  return { ...handedTo(evacuation, hand.evacuatorClass, nowMs), message: switchedMessage(evacuation, hand) }
}

export function switchedMessage(
  { spec }: Evacuation,
  { from, evacuatorClass, why }: { readonly from: string; readonly evacuatorClass: string; readonly why: string },
): string {
  const reason = why === 'completed' ? 'completed' : `reported no progress for ${spec.progressDeadlineSeconds} s`
  return `Switched from evacuator ${from}, which ${reason}, to ${evacuatorClass}`
}

function handedTo(evacuation: Evacuation, evacuatorClass: string, nowMs: number): EvacuationStatusChange {
  return {
    activeEvacuatorClass: evacuatorClass,
    activeEvacuatorCompleted: false,
    evacuationProgressTimestamp: timestamp(nowMs),
    expectedEvacuationFinishTime: null,
    ...(saysWhatHoldsDeletedPod(evacuation) ? {} : blockedChange(evacuation.status, undefined, nowMs)),
  }
}

export function refused(
  evacuation: Evacuation,
  { failures, blocker }: { readonly failures: number; readonly blocker?: Blocker },
  nowMs: number,
): EvacuationStatusChange {
  return { failedEvictionCounter: failures, ...(blocker === undefined ? {} : blocked(evacuation, blocker, nowMs)) }
}

/** Remembers since when the controller of the pod has been asked; asked again, that moment stays. */
export function controllerAsked(
  evacuation: Evacuation,
  blocker: Blocker,
  nowMs: number,
): EvacuationStatusChange | undefined {
  if (conditionOf(evacuation, evacuationConditions.controllerAsked) !== undefined) return undefined
  const asked = {
    type: evacuationConditions.controllerAsked,
    status: 'True',
    reason: 'EvictWanted',
    message: '',
  } as const
  const change = blocked(evacuation, blocker, nowMs)
  const conditions = change.conditions ?? evacuation.status?.conditions ?? []
  return { ...change, conditions: withCondition(conditions, asked, timestamp(nowMs)) }
}

/** What the status lacks to say what blocks, or undefined: it says so already. */
export function blockedIfNews(
  evacuation: Evacuation,
  blocker: Blocker | undefined,
  nowMs: number,
): EvacuationStatusChange | undefined {
  const news = blockedChange(evacuation.status, blocker === undefined ? undefined : blockedOf(blocker), nowMs)
  if (Object.keys(news).length === 0) return undefined
  return blocker === undefined ? news : blocked(evacuation, blocker, nowMs)
}

function blocked(evacuation: Evacuation, blocker: Blocker, nowMs: number): EvacuationStatusChange {
  const said = blockedOf(blocker)
  const change = blockedChange(evacuation.status, said, nowMs)
  // The last words of an evacuator that fell silent say more about where it stopped than that it did.
  return blocker.kind === 'silentEvacuator' ? change : { message: said.message, ...change }
}
