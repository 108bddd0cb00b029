import { evacuationGroup } from '../../api/names.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { rememberedRights } from './remembered-rights.ts'

const remembersMax = 1_000

/**
 * Who evicts a pod while an evacuator of another vendor has its turn. That evacuator is known by its rights: its program
 * reports in the status of Evacuations, and what drains nodes cordons them. `unclear`: it has both rights.
 */
export type Evictor = 'evacuator' | 'unclear' | 'other'

export type EvictorLookup = (user: UserInfo, namespace: string, signal: AbortSignal) => Promise<Evictor>

/** Both answers are remembered: who is refused asks again every few seconds. Budgets guard the pod in either case. */
export function evictorLookup(parts: { readonly kube: Pick<Kube, 'ask'>; readonly clock: Clock }): EvictorLookup {
  const may = rememberedRights({ ...parts, remembersMax, remembersNo: true })
  const reporting = { verb: 'patch', group: evacuationGroup, resource: 'evacuations', subresource: 'status' }
  return async (user, namespace, signal) => {
    if (!user.username.startsWith('system:serviceaccount:')) return 'other'
    if (!(await may(user, { ...reporting, namespace }, signal))) return 'other'
    return (await may(user, { verb: 'patch', resource: 'nodes' }, signal)) ? 'unclear' : 'evacuator'
  }
}
