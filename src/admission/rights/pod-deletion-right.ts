import type { Kube } from '../../kube/client/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import { mayDo } from './access-review.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { rememberedRights } from './remembered-rights.ts'

const remembersMax = 1_000

/** Answers whether a user may delete a pod. */
export type PodDeletionRight = (
  user: UserInfo,
  pod: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
) => Promise<boolean>

/** Most who may delete a pod may delete all of its namespace, so that is asked first. */
export function podDeletionRight(parts: { readonly kube: Pick<Kube, 'ask'>; readonly clock: Clock }): PodDeletionRight {
  const mayDeleteAll = rememberedRights({ ...parts, remembersMax })
  return async (user, { namespace, name }, signal) => {
    const deed = { verb: 'delete', resource: 'pods', namespace }
    return (await mayDeleteAll(user, deed, signal)) || mayDo(parts.kube, user, { ...deed, name }, signal)
  }
}
