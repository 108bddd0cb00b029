import { renderFieldProblem } from '../api/field-problem.ts'
import { recordOf, textOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, forbidden, invalid, type Answer, type Denied } from './answer.ts'
import type { Lookups } from './lookups.ts'
import type { PodDeletionRight } from './pod-deletion-right.ts'

/** How far the clock of an evacuator may be ahead of ours. */
export const clockSkewMaxMs = 60_000

const deeds = { CREATE: 'create', UPDATE: 'change', DELETE: 'delete', CONNECT: 'use' } as const

interface KnownPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Any write to an Evacuation or its status: the caller must be allowed to delete the pod that it is about. */
export async function validateEvacuationRequest(
  request: AdmissionRequest,
  parts: { readonly lookups: Pick<Lookups, 'pod'>; readonly mayDeletePod: PodDeletionRight; readonly nowMs: number },
  signal: AbortSignal,
): Promise<Answer> {
  const pod = podOf(request)
  if (pod === undefined) return invalid('spec.podRef is missing: must be the name and UID of a pod')
  if (!(await parts.mayDeletePod(request.userInfo, pod, signal))) return forbidden(missingRight(request, pod))
  if (request.operation === 'DELETE') return reviewDeletion(request, pod, parts.lookups, signal)
  return progressDenial(request, parts.nowMs) ?? allowed
}

/** Of an update that of the object as it was: what somebody writes must not decide which right they need. */
function podOf({ namespace, object, oldObject }: AdmissionRequest): KnownPod | undefined {
  const { podRef } = recordOf(recordOf(oldObject ?? object)['spec'])
  const { name, uid } = recordOf(podRef)
  if (textOf(name) === '' || textOf(uid) === '') return undefined
  return { namespace, name: textOf(name), uid: textOf(uid) }
}

function missingRight({ userInfo, operation }: AdmissionRequest, { namespace, name }: KnownPod): string {
  return `user ${JSON.stringify(userInfo.username)} may not delete pod ${namespace}/${name}, so it may not ${deeds[operation]} its Evacuation`
}

async function reviewDeletion(
  { oldObject }: AdmissionRequest,
  pod: KnownPod,
  lookups: Pick<Lookups, 'pod'>,
  signal: AbortSignal,
): Promise<Answer> {
  const status = recordOf(recordOf(oldObject)['status'])
  if (status['evacuationCancellationPolicy'] !== 'Forbid') return allowed
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
