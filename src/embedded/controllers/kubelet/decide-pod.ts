import type { Pod } from '../objects.ts'
import { conditionOf, isReady, timeOf } from '../pod-status.ts'
import { behaviourOf } from './behaviour.ts'
import { isMirror } from './static-pods.ts'

/** What a kubelet does next about a pod of its node. */
export type PodStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'start'; readonly ready: boolean }
  | { readonly kind: 'becomeReady' | 'becomeUnready' | 'failToPull' | 'crash' | 'complete' | 'fail' | 'end' }

type Rule = (pod: Pod, nowMs: number) => PodStep | undefined

const nothing: PodStep = { kind: 'nothing' }

/** The first that answers wins, as of the stages that play the kubelet on the real cluster. */
const rules: readonly Rule[] = [
  terminating,
  finished,
  starting,
  failing,
  crashing,
  becomingUnready,
  becomingReady,
  completing,
]

export function decidePod(pod: Pod, nowMs: number): PodStep {
  for (const rule of rules) {
    const step = rule(pod, nowMs)
    if (step !== undefined) return step
  }
  return nothing
}

function terminating(pod: Pod, nowMs: number): PodStep | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  if (deletionTimestamp === undefined) return undefined
  // Ended already: only a finalizer still holds it.
  if (deletionGracePeriodSeconds === 0) return nothing
  const { terminateAfterMs } = behaviourOf(pod)
  // Only the mirror goes: what it shows runs on, and the next mirror shows it again.
  if (terminateAfterMs === undefined || isMirror(pod)) return { kind: 'end' }
  const graceEndMs = timeOf(deletionTimestamp)
  const askedAtMs = graceEndMs - deletionGracePeriodSeconds * 1_000
  return dueAt(Math.min(graceEndMs, after(askedAtMs, terminateAfterMs)), nowMs, { kind: 'end' })
}

function finished({ status }: Pod): PodStep | undefined {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? nothing : undefined
}

function starting(pod: Pod): PodStep | undefined {
  if ((pod.status?.phase ?? 'Pending') !== 'Pending') return undefined
  const { imagePullFails, readyAfterMs, neverReady, crashes, fails } = behaviourOf(pod)
  if (imagePullFails) return isWaiting(pod, 'ImagePullBackOff') ? nothing : { kind: 'failToPull' }
  const hasGates = (pod.spec?.readinessGates ?? []).length > 0
  return { kind: 'start', ready: !hasGates && readyAfterMs === undefined && !neverReady && !crashes && !fails }
}

/** Not in the same instant, or a controller that replaces what failed would never come to rest in virtual time. */
function failing(pod: Pod, nowMs: number): PodStep | undefined {
  if (!behaviourOf(pod).fails) return undefined
  return dueAt(after(timeOf(pod.status?.startTime), 0), nowMs, { kind: 'fail' })
}

function crashing(pod: Pod): PodStep | undefined {
  if (!behaviourOf(pod).crashes) return undefined
  return isWaiting(pod, 'CrashLoopBackOff') ? nothing : { kind: 'crash' }
}

function becomingUnready(pod: Pod): PodStep | undefined {
  if (!behaviourOf(pod).neverReady) return undefined
  return isReady(pod) ? { kind: 'becomeUnready' } : nothing
}

function becomingReady(pod: Pod, nowMs: number): PodStep | undefined {
  if (isReady(pod)) return undefined
  const gates = pod.spec?.readinessGates ?? []
  if (!gates.every(({ conditionType }) => conditionOf(pod, conditionType)?.status === 'True')) return nothing
  const { readyAfterMs } = behaviourOf(pod)
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt
  if (readyAfterMs === undefined || startedAt === undefined) return { kind: 'becomeReady' }
  return dueAt(after(timeOf(startedAt), readyAfterMs), nowMs, { kind: 'becomeReady' })
}

/** A Job's pod that is Ready does its work, and that takes a moment. */
function completing(pod: Pod, nowMs: number): PodStep | undefined {
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'Job') ?? false
  if (!isOfJob) return undefined
  const dueMs = after(timeOf(pod.status?.startTime), behaviourOf(pod).completeAfterMs)
  return dueAt(dueMs, nowMs, { kind: 'complete' })
}

function isWaiting({ status }: Pod, reason: string): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.waiting?.reason === reason) ?? false
}

/** API times are cut to whole seconds, so one more makes it never too early. The stages count in the same way. */
function after(timestampMs: number, delayMs: number): number {
  return timestampMs + 1_000 + Math.ceil(delayMs / 1_000) * 1_000
}

function dueAt(dueMs: number, nowMs: number, step: PodStep): PodStep {
  return dueMs <= nowMs ? step : { kind: 'wait', untilMs: dueMs }
}
