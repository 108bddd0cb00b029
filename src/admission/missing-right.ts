import { recordOf, textOf, type AdmissionRequest } from './admission-request.ts'
import { forbidden, invalid, type Denied } from './answer.ts'
import type { PodDeletionRight } from './pod-deletion-right.ts'

const deeds = { CREATE: 'create', UPDATE: 'change', DELETE: 'delete', CONNECT: 'use' } as const

export interface KnownPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** KEP-4563: whoever writes an Evacuation must be authorized to delete its pod. Undefined: so they are. */
export async function missingRight(
  request: AdmissionRequest,
  mayDeletePod: PodDeletionRight,
  signal: AbortSignal,
): Promise<Denied | undefined> {
  const pod = podOfRequest(request)
  if (pod === undefined) return invalid('spec.podRef is missing: must be the name and UID of a pod')
  const { userInfo, operation } = request
  if (await mayDeletePod(userInfo, pod, signal)) return undefined
  const who = `user ${JSON.stringify(userInfo.username)} may not delete pod ${pod.namespace}/${pod.name}`
  return forbidden(`${who}, so it may not ${deeds[operation]} its Evacuation`)
}

/** Of an update that of the object as it was: what somebody writes must not decide which right they need. */
export function podOfRequest({ namespace, object, oldObject }: AdmissionRequest): KnownPod | undefined {
  const { podRef } = recordOf(recordOf(oldObject ?? object)['spec'])
  const { name, uid } = recordOf(podRef)
  if (textOf(name) === '' || textOf(uid) === '') return undefined
  return { namespace, name: textOf(name), uid: textOf(uid) }
}
