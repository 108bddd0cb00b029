import { renderFieldProblem } from '../api/field-problem.ts'
import { recordOf, textOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, forbidden, invalid, type Answer, type Denied } from './answer.ts'
import type { Lookups } from './lookups.ts'
import { missingRight, podOfRequest, type KnownPod } from './missing-right.ts'
import type { PodDeletionRight } from './pod-deletion-right.ts'

/** How far the clock of an evacuator may be ahead of ours. */
export const clockSkewMaxMs = 60_000

/** A change or deletion of an Evacuation, or of its status: the caller must be allowed to delete the pod that it is about. */
export async function validateEvacuationRequest(
  request: AdmissionRequest,
  parts: { readonly lookups: Pick<Lookups, 'pod'>; readonly mayDeletePod: PodDeletionRight; readonly nowMs: number },
  signal: AbortSignal,
): Promise<Answer> {
  const denied = await missingRight(request, parts.mayDeletePod, signal)
  if (denied !== undefined) return denied
  if (request.operation === 'DELETE') return reviewDeletion(request, parts.lookups, signal)
  return progressDenial(request, parts.nowMs) ?? allowed
}

async function reviewDeletion(
  request: AdmissionRequest,
  lookups: Pick<Lookups, 'pod'>,
  signal: AbortSignal,
): Promise<Answer> {
  const status = recordOf(recordOf(request.oldObject)['status'])
  const pod = podOfRequest(request)
  if (status['evacuationCancellationPolicy'] !== 'Forbid' || pod === undefined) return allowed
  const found = await lookups.pod(pod, signal)
  if (found?.metadata.uid !== pod.uid) return allowed
  return forbidden(forbiddenCancellation(pod, textOf(status['activeEvacuatorClass'])))
}

function forbiddenCancellation({ namespace, name }: KnownPod, evacuatorClass: string): string {
  const who = evacuatorClass === '' ? 'its evacuator' : `the evacuator ${evacuatorClass}`
  return `status.evacuationCancellationPolicy is "Forbid": ${who} cannot stop any more, so the Evacuation can be deleted once pod ${namespace}/${name} is gone, or the policy is Allow again`
}

/** The past is allowed: an evacuator may report late. Who leaves it as it was is not to blame for it. */
function progressDenial({ object, oldObject }: AdmissionRequest, nowMs: number): Denied | undefined {
  const value = progressOf(object)
  if (typeof value !== 'string' || value === progressOf(oldObject)) return undefined
  // What we cannot read as a time is refused too: it must not be a way into the future.
  if (Date.parse(value) <= nowMs + clockSkewMaxMs) return undefined
  const rule = `must be a time, such as 2026-01-31T12:00:00Z, and must not lie more than ${clockSkewMaxMs / 1_000} s in the future, and it is ${new Date(nowMs).toISOString()} now`
  return invalid(renderFieldProblem({ field: 'status.evacuationProgressTimestamp', value, allowed: rule }))
}

function progressOf(evacuation: unknown): unknown {
  return recordOf(recordOf(evacuation)['status'])['evacuationProgressTimestamp']
}
