import type { Kube } from '../../kube/client/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { rememberedRights } from './remembered-rights.ts'

/** As many answers as nodes of a large cluster, twice. */
const limits = { remembersMax: 10_000, askedAtOnceMax: 16 }

export interface NodeDeletionRight {
  /** Whether a user may delete every node that there is or will be. */
  mayDeleteAll(user: UserInfo, signal: AbortSignal): Promise<boolean>
  /** The first of the nodes, in the order given, that a user may not delete. Undefined: they may delete them all. */
  firstRefused(user: UserInfo, names: readonly string[], signal: AbortSignal): Promise<string | undefined>
}

/** Most who may delete a node may delete all, so that is asked first; only if not, node by node. */
export function nodeDeletionRight(parts: {
  readonly kube: Pick<Kube, 'ask'>
  readonly clock: Clock
}): NodeDeletionRight {
  const mayDo = rememberedRights({ ...parts, remembersMax: limits.remembersMax })
  const deed = { verb: 'delete', resource: 'nodes' }
  return {
    mayDeleteAll: (user, signal) => mayDo(user, deed, signal),
    firstRefused: async (user, names, signal) => {
      if (names.length === 0 || (await mayDo(user, deed, signal))) return undefined
      for (let at = 0; at < names.length; at += limits.askedAtOnceMax) {
        const some = names.slice(at, at + limits.askedAtOnceMax)
        const answers = await Promise.all(some.map((name) => mayDo(user, { ...deed, name }, signal)))
        const refused = answers.indexOf(false)
        if (refused !== -1) return some[refused]
      }
      return undefined
    },
  }
}
