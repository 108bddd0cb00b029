import type { Kube } from '../kube/client.ts'
import { LruMap } from '../kube/lru-map.ts'
import type { Clock } from '../runtime/clock.ts'
import { keyOfUser, mayDo } from './access-review.ts'
import type { UserInfo } from './admission-request.ts'

/** As many answers as nodes of a large cluster, twice. */
const limits = { rememberMs: 10_000, remembersMax: 10_000, askedAtOnceMax: 16 }

/** The first of the nodes, in the order given, that somebody may not delete. Undefined: they may delete them all. */
export type NodeDeletionRight = (
  user: UserInfo,
  names: readonly string[],
  signal: AbortSignal,
) => Promise<string | undefined>

/**
 * Asks the API server. Most who may delete a node may delete all, so that is asked first; only if not, node by node. As
 * with pods a yes is remembered for a moment and a no is not.
 */
export function nodeDeletionRight(parts: {
  readonly kube: Pick<Kube, 'create'>
  readonly clock: Clock
}): NodeDeletionRight {
  const { kube, clock } = parts
  const yes = new LruMap<{ untilMs: number }>(limits.remembersMax)
  const may = async (user: UserInfo, name: string | undefined, signal: AbortSignal) => {
    const key = JSON.stringify([name, keyOfUser(user)])
    const remembered = yes.getOrMake(key, () => ({ untilMs: Number.NEGATIVE_INFINITY }))
    if (clock.monotonicMs() < remembered.untilMs) return true
    const deed = { verb: 'delete', resource: 'nodes', ...(name === undefined ? {} : { name }) }
    const isAllowed = await mayDo(kube, user, deed, signal)
    if (isAllowed) remembered.untilMs = clock.monotonicMs() + limits.rememberMs
    return isAllowed
  }
  return async (user, names, signal) => {
    if (names.length === 0 || (await may(user, undefined, signal))) return undefined
    for (let at = 0; at < names.length; at += limits.askedAtOnceMax) {
      const some = names.slice(at, at + limits.askedAtOnceMax)
      const answers = await Promise.all(some.map((name) => may(user, name, signal)))
      const refused = answers.indexOf(false)
      if (refused !== -1) return some[refused]
    }
    return undefined
  }
}
