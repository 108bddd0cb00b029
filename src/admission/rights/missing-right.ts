import { recordOf, textOf, type AdmissionRequest } from '../reviews/admission-request.ts'
import { forbidden, invalid, type Denied } from '../reviews/answer.ts'
import type { PodDeletionRight } from './pod-deletion-right.ts'

export interface KnownPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * KEP-4563: a user who creates an Evacuation must be authorized to delete its pod. Undefined: so they are. The policy
 * lifeboat-evacuation-rights asks the same after the webhook: without the right a caller must not learn here whether a
 * pod is there, and what UID it has.
 */
export async function missingRight(
  request: AdmissionRequest,
  mayDeletePod: PodDeletionRight,
  signal: AbortSignal,
): Promise<Denied | undefined> {
  const pod = podOfRequest(request)
  if (pod === undefined) return invalid('spec.podRef is missing: must be the name and UID of a pod')
  const { userInfo } = request
  if (await mayDeletePod(userInfo, pod, signal)) return undefined
  const who = `user ${JSON.stringify(userInfo.username)} may not delete pod ${pod.namespace}/${pod.name}`
  return forbidden(`${who}, so it may not create its Evacuation`)
}

export function podOfRequest({ namespace, object }: AdmissionRequest): KnownPod | undefined {
  const { podRef } = recordOf(recordOf(object)['spec'])
  const { name, uid } = recordOf(podRef)
  if (textOf(name) === '' || textOf(uid) === '') return undefined
  return { namespace, name: textOf(name), uid: textOf(uid) }
}
