import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { UserInfo } from '../reviews/admission-request.ts'

/** What a user wants to do. Without a name: to any object of that resource. */
export interface Deed {
  readonly verb: string
  readonly group?: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean }
}

const subjectAccessReviews: Resource<KubernetesObject> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
}

/** Asks the API server whether a user may do something. */
export async function mayDo(
  kube: Pick<Kube, 'ask'>,
  { username, uid, groups, extra }: UserInfo,
  deed: Deed,
  signal: AbortSignal,
): Promise<boolean> {
  const who = { user: username, ...(uid === undefined ? {} : { uid }), groups, extra }
  const review = { spec: { ...who, resourceAttributes: deed } }
  const { status } = await kube.ask<SubjectAccessReview>(subjectAccessReviews, review, { signal })
  return status?.allowed === true
}

/** Two users who are the same to the API server have the same key, and no other user has it. */
export function keyOfUser({ username, uid, groups, extra }: UserInfo): string {
  const extras = Object.entries(extra).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([username, uid, groups, extras])
}
