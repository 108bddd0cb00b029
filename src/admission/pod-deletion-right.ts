import type { Kube } from '../kube/client.ts'
import { LruMap } from '../kube/lru-map.ts'
import type { Clock } from '../runtime/clock.ts'
import { keyOfUser, mayDo } from './access-review.ts'
import type { UserInfo } from './admission-request.ts'

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
  const ask = (user: UserInfo, which: { namespace: string; name?: string }, signal: AbortSignal) =>
    mayDo(kube, user, { verb: 'delete', resource: 'pods', ...which }, signal)
  return async (user, { namespace, name }, signal) => {
    const key = JSON.stringify([namespace, keyOfUser(user)])
    const remembered = yes.getOrMake(key, () => ({ untilMs: Number.NEGATIVE_INFINITY }))
    if (clock.monotonicMs() < remembered.untilMs) return true
    if (await ask(user, { namespace }, signal)) {
      remembered.untilMs = clock.monotonicMs() + limits.rememberMs
      return true
    }
    return ask(user, { namespace, name }, signal)
  }
}
