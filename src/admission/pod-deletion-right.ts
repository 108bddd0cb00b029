import type { KubernetesObject } from '../api/kubernetes/meta.ts'
import type { Resource } from '../api/kubernetes/resources.ts'
import type { Kube } from '../kube/client.ts'
import { LruMap } from '../kube/lru-map.ts'
import type { Clock } from '../runtime/clock.ts'
import type { UserInfo } from './admission-request.ts'

interface SubjectAccessReview extends KubernetesObject {
  spec: {
    user: string
    uid?: string
    groups?: readonly string[]
    extra?: Readonly<Record<string, readonly string[]>>
    resourceAttributes: { namespace: string; verb: string; resource: string; name?: string }
  }
  status?: { allowed?: boolean }
}

const subjectAccessReviews: Resource<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
}

const limits = { rememberMs: 10_000, remembersMax: 1_000 }

/** Answers whether somebody may delete a pod. */
export type PodDeletionRight = (
  user: UserInfo,
  pod: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
) => Promise<boolean>

/**
 * Asks the API server. Most who may delete a pod may delete all of its namespace, so that is asked first, and a yes is
 * remembered for a moment: a drain that creates a hundred Evacuations asks once. A no is not, so that a right that was
 * just granted counts at once.
 */
export function podDeletionRight(parts: {
  readonly kube: Pick<Kube, 'create'>
  readonly clock: Clock
}): PodDeletionRight {
  const { kube, clock } = parts
  const yes = new LruMap<{ untilMs: number }>(limits.remembersMax)
  const ask = async (user: UserInfo, attributes: { namespace: string; name?: string }, signal: AbortSignal) => {
    const review = { metadata: {}, spec: buildSpec(user, attributes) }
    const { status } = await kube.create(subjectAccessReviews, review, { signal })
    return status?.allowed === true
  }
  return async (user, { namespace, name }, signal) => {
    const remembered = yes.getOrMake(keyOf(user, namespace), () => ({ untilMs: Number.NEGATIVE_INFINITY }))
    if (clock.monotonicMs() < remembered.untilMs) return true
    if (await ask(user, { namespace }, signal)) {
      remembered.untilMs = clock.monotonicMs() + limits.rememberMs
      return true
    }
    return ask(user, { namespace, name }, signal)
  }
}

function buildSpec(
  { username, uid, groups, extra }: UserInfo,
  attributes: { namespace: string; name?: string },
): SubjectAccessReview['spec'] {
  return {
    user: username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    extra,
    resourceAttributes: { verb: 'delete', resource: 'pods', ...attributes },
  }
}

function keyOf({ username, uid, groups, extra }: UserInfo, namespace: string): string {
  const extras = Object.entries(extra).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([namespace, username, uid, groups, extras])
}
