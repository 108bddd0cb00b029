import type { Kube } from '../../kube/client/client.ts'
import { LruMap } from '../../kube/events/lru-map.ts'
import type { Clock } from '../../runtime/clock.ts'
import { keyOfUser, mayDo, type Deed } from './access-review.ts'
import type { UserInfo } from '../reviews/admission-request.ts'

const rememberMs = 10_000

/**
 * Asks the API server whether a user may do something. A yes is remembered for a moment: a drain asks the same by the
 * hundred. A no is not unless it is asked for, so that a right that was just granted counts at once.
 */
export function rememberedRights(parts: {
  readonly kube: Pick<Kube, 'ask'>
  readonly clock: Clock
  readonly remembersMax: number
  readonly remembersNo?: true
}): (user: UserInfo, deed: Deed, signal: AbortSignal) => Promise<boolean> {
  const { kube, clock, remembersMax, remembersNo = false } = parts
  const answers = new LruMap<{ isAllowed: boolean; untilMs: number }>(remembersMax)
  return async (user, deed, signal) => {
    const { verb, group, resource, subresource, namespace, name } = deed
    const key = JSON.stringify([verb, group, resource, subresource, namespace, name, keyOfUser(user)])
    const remembered = answers.getOrMake(key, () => ({ isAllowed: false, untilMs: Number.NEGATIVE_INFINITY }))
    if (clock.monotonicMs() < remembered.untilMs) return remembered.isAllowed
    const isAllowed = await mayDo(kube, user, deed, signal)
    if (isAllowed || remembersNo) Object.assign(remembered, { isAllowed, untilMs: clock.monotonicMs() + rememberMs })
    return isAllowed
  }
}
