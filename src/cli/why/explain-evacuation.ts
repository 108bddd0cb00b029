import { blockedBy, blockerOf } from '../../api/blocker/blocked-by.ts'
import { blockerCommands, blockerReason, renderRemedy, renderWaiting, type Blocker } from '../../api/blocker/blocker.ts'
import { withoutOldReadiness } from '../../api/blocker/unready-pod.ts'
import { evacuationConditions, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { byPriorityThenClass } from '../../api/evacuation/evacuator.ts'
import { foreignFinalizersOf, holdsOf, instigatorFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import type { NodeSilence } from '../../api/maintenance/node-silence.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { shellCommand } from '../../api/shell-command.ts'
import { conditionOf, lastProgressMs, progressDeadlineMs } from '../../evacuation/view.ts'
import { present } from './explain-node.ts'
import type { PodReport } from './report.ts'

type Explained = Omit<PodReport, 'namespace' | 'name' | 'uid' | 'nodeName' | 'askedForBy'>

/** For a pod that is on its way out, whichever client sent it there. */
export function explainTerminating(pod: Pod, silence: NodeSilence | undefined, nowMs: number): Explained {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0, finalizers = [] } = pod.metadata
  const graceMs = deletionGracePeriodSeconds * 1_000
  // The timestamp is when the grace period is over, not when the deletion was asked for.
  const sinceMs = Date.parse(deletionTimestamp) - graceMs
  const elapsedMs = Math.max(0, nowMs - sinceMs)
  const ref = podRefOf(pod)
  const blocker = ((): Blocker => {
    if (elapsedMs > graceMs && silence !== undefined) return { kind: 'silentNode', pod: ref, ...silence }
    if (elapsedMs > graceMs && finalizers.length > 0) return { kind: 'finalizers', pod: ref, finalizers }
    return { kind: 'terminating', pod: ref, elapsedMs, graceMs }
  })()
  const phase = elapsedMs > graceMs ? 'Blocked' : 'Terminating'
  return { phase, since: timestamp(sinceMs), ...explainBlocker(blocker) }
}

/** For a pod that is to leave and has not begun to terminate. */
export function explainEvacuation(evacuation: Evacuation, pod: Pod, nowMs: number): Explained {
  const { status } = evacuation
  const blocked = conditionOf(evacuation, evacuationConditions.blocked)
  if (blocked?.status !== 'True') return explainProgress(evacuation)
  const since = blocked.lastTransitionTime
  const blocker = blockerOf(evacuation)
  if (blocker !== undefined) {
    return { phase: 'Blocked', since, ...explainBlocker(upToDate(blocker, { evacuation, pod }, nowMs)) }
  }
  const { activeEvacuatorClass = 'its evacuator' } = status ?? {}
  return {
    phase: 'Blocked',
    reason: blocked.reason,
    message: `waits: ${activeEvacuatorClass} says ${blocked.message === '' ? blocked.reason : blocked.message}`,
    since,
    next: `see to what it says; ${whatFollows(evacuation)}`,
    commands: describeCommands(evacuation),
  }
}

function explainBlocker(blocker: Blocker): Pick<Explained, 'reason' | 'message' | 'blockedBy' | 'next' | 'commands'> {
  return {
    reason: blockerReason(blocker),
    message: renderWaiting(blocker),
    blockedBy: blockedBy(blocker),
    next: renderRemedy(blocker),
    commands: blockerCommands(blocker),
  }
}

/** A status is written seldom, and its times are as old as it is. */
function upToDate(blocker: Blocker, { evacuation, pod }: { evacuation: Evacuation; pod: Pod }, nowMs: number): Blocker {
  if (blocker.kind === 'budget') return withoutOldReadiness(blocker, pod)
  if (blocker.kind === 'silentEvacuator') {
    return { ...blocker, silentMs: Math.max(blocker.silentMs, nowMs - lastProgressMs(evacuation)) }
  }
  if (blocker.kind !== 'controllerTakeover') return blocker
  const asked = conditionOf(evacuation, evacuationConditions.controllerAsked)
  if (asked === undefined) return blocker
  return { ...blocker, waitedMs: Math.max(blocker.waitedMs, nowMs - Date.parse(asked.lastTransitionTime)) }
}

function explainProgress(evacuation: Evacuation): Explained {
  const { metadata, spec, status } = evacuation
  const { activeEvacuatorClass, activeEvacuatorCompleted, expectedEvacuationFinishTime, message } = status ?? {}
  const base = {
    phase: 'Evacuating' as const,
    ...(metadata.creationTimestamp === undefined ? {} : { since: metadata.creationTimestamp }),
    ...(expectedEvacuationFinishTime === undefined ? {} : { expectedFinish: expectedEvacuationFinishTime }),
    // There is nothing to do, and pods that are alike can be told together.
    commands: [],
  }
  const said = message === undefined || message === '' ? '' : `: ${message}`
  if (activeEvacuatorClass !== undefined && activeEvacuatorCompleted !== true) {
    const next = `nothing to do; ${whatFollows(evacuation)}`
    return { ...base, reason: activeEvacuatorClass, message: `is evacuated by ${activeEvacuatorClass}${said}`, next }
  }
  if (activeEvacuatorClass === undefined && (spec.evacuators ?? []).length > 0) {
    const [first] = (spec.evacuators ?? []).toSorted(byPriorityThenClass)
    const next = `nothing to do; ${first?.evacuatorClass} says within seconds how far it is, if Lifeboat is running`
    return { ...base, reason: 'Requested', message: 'is to be evacuated, and no evacuator has reported yet', next }
  }
  const next = 'nothing to do; it is evicted as soon as its budgets allow it'
  return { ...base, reason: 'Eviction', message: `is being evicted${said}`, next }
}

/** For a pod whose Evacuation is being deleted. `askingAgain`: the maintenances that still want the pod gone. */
export function explainEnding(evacuation: Evacuation, askingAgain: readonly string[]): Explained {
  const { deletionTimestamp = '' } = evacuation.metadata
  const explained = { since: deletionTimestamp, commands: describeCommands(evacuation) }
  const others = foreignFinalizersOf(evacuation)
  if (askingAgain.length === 0) {
    const message = 'stays: its evacuation is being taken back'
    return { ...explained, phase: 'Unaffected', reason: 'Withdrawn', message, next: undoing(evacuation, others) }
  }
  const asks = `${askingAgain.join(', ')} asks again once it is gone`
  return {
    ...explained,
    phase: others.length === 0 ? 'Pending' : 'Blocked',
    reason: 'EvacuationDeleted',
    message: 'waits: its Evacuation was deleted and is still being undone',
    next: `${undoing(evacuation, others)}; ${asks}`,
  }
}

function undoing(evacuation: Evacuation, others: readonly string[]): string {
  if (others.length > 0) {
    const ones = others.length === 1 ? 'its finalizer' : 'its finalizers'
    return `the Evacuation goes when ${ones} ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} taken off by who put ${others.length === 1 ? 'it' : 'them'} there`
  }
  const classes = (evacuation.spec.evacuators ?? []).map(({ evacuatorClass }) => evacuatorClass)
  const holds = holdsOf(evacuation)
  const holders = classes.filter((evacuatorClass) => holds.includes(instigatorFinalizer(evacuatorClass)))
  if (holders.length > 0) return `nothing to do; ${holders.join(', ')} puts back what it changed`
  return 'nothing to do; the Evacuation goes within seconds, if Lifeboat is running'
}

/** Who comes after the active evacuator, and when at the latest. */
function whatFollows(evacuation: Evacuation): string {
  const classes = (evacuation.spec.evacuators ?? []).toSorted(byPriorityThenClass).map((each) => each.evacuatorClass)
  const index = classes.indexOf(evacuation.status?.activeEvacuatorClass ?? '')
  const following = index === -1 ? undefined : classes[index + 1]
  const at = timestamp(progressDeadlineMs(evacuation))
  return `without progress until ${at}, ${following ?? 'an eviction'} follows`
}

function describeCommands({ metadata }: Evacuation): string[] {
  return present(shellCommand`kubectl -n ${metadata.namespace} describe evacuation ${metadata.name}`)
}
