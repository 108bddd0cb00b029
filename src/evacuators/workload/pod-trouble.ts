import type { Pod } from '../../api/kubernetes/core.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'

/** Why a pod that others wait for does not get ready by itself; part of a Blocker. */
export interface PodTrouble {
  readonly kind: 'replacementUnschedulable' | 'replacementNotReady'
  readonly replacement: string
  readonly message: string
}

/** As a Deployment has it if it says nothing. */
export const progressDeadlineDefaultSeconds = 600
/** A kubelet may take this long to report what it has done. */
const terminationSlackMs = 30_000

/** Reasons for which a container waits while everything goes well. */
const passing: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** Undefined: it is fine, or on its way. A reason that a user must fix counts at once, mere slowness later. */
export function troubleOf(
  pod: Pod,
  nowMs: number,
  progressDeadlineSeconds = progressDeadlineDefaultSeconds,
): PodTrouble | undefined {
  const { name: replacement, deletionTimestamp } = pod.metadata
  const notReady = (message: string): PodTrouble => ({ kind: 'replacementNotReady', replacement, message })
  if (deletionTimestamp !== undefined) {
    const isLate = nowMs > Date.parse(deletionTimestamp) + terminationSlackMs
    return isLate ? notReady('it is being deleted, and its grace period is over: is its node running?') : undefined
  }
  if (isReady(pod)) return undefined
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    const message = scheduled.message ?? scheduled.reason ?? 'the scheduler gives no reason'
    return { kind: 'replacementUnschedulable', replacement, message }
  }
  const said = containerTrouble(pod)
  if (said !== undefined) return notReady(said)
  const sinceMs = notReadySinceMs(pod)
  const isSlow = nowMs > sinceMs + progressDeadlineSeconds * 1_000
  return isSlow ? notReady(`it has not been ready for ${progressDeadlineSeconds} s: is its probe right?`) : undefined
}

function containerTrouble({ status }: Pod): string | undefined {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') {
    return [`it has ended: ${status.reason ?? status.phase}`, status.message].filter(Boolean).join(', ')
  }
  for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const { waiting } = state ?? {}
    if (waiting?.reason === undefined || passing.has(waiting.reason)) continue
    return [`container ${name}: ${waiting.reason}`, waiting.message].filter(Boolean).join(', ')
  }
  return undefined
}

function notReadySinceMs({ metadata, status }: Pod): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return Date.parse(ready?.lastTransitionTime ?? metadata.creationTimestamp ?? '')
}
