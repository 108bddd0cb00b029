import type { Lease } from '../../api/kubernetes/coordination.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessForbidden, unlessNotFound } from '../../kube/client/errors.ts'
import { installation } from '../../manager/install/installation-names.ts'

/** Whether there is a Lifeboat that acts. Without one, waiting for it would never end. */
export type Leader =
  | { readonly kind: 'leads'; readonly identity: string }
  | { readonly kind: 'none' }
  /** The caller may not look. */
  | { readonly kind: 'unknown' }

/** Clocks of machines differ; a leader that is there renews every other second. */
const skewMs = 10_000

export function leaderOf(found: readonly Lease[], nowMs: number): Leader {
  const held = found.find((lease) => isHeld(lease, nowMs))
  return held === undefined ? { kind: 'none' } : { kind: 'leads', identity: held.spec?.holderIdentity ?? '' }
}

function isHeld({ spec }: Lease, nowMs: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = spec ?? {}
  if (holderIdentity === '' || renewTime === undefined) return false
  return Date.parse(renewTime) + leaseDurationSeconds * 1_000 + skewMs >= nowMs
}

export async function readLeader(kube: Kube, nowMs: number, signal?: AbortSignal): Promise<Leader> {
  const name = installation.lease
  const key = { namespace: installation.namespace, name }
  const usual = await unlessForbidden(unlessNotFound(kube.get(leases, key, { signal })))
  const leader = leaderOf(usual === undefined ? [] : [usual], nowMs)
  if (leader.kind === 'leads') return leader
  // It may have been installed into another namespace.
  const all = await unlessForbidden(kube.list(leases, { fieldSelector: `metadata.name=${name}`, signal }))
  return all === undefined ? { kind: 'unknown' } : leaderOf(all.items, nowMs)
}

/** One line, or none. */
export function renderLeaderWarning(leader: Leader, programName: string): string | undefined {
  if (leader.kind !== 'none') return undefined
  return `warning: no Lifeboat is running for this cluster, so nothing will happen yet; see \`kubectl -n ${installation.namespace} get pods\`, or start one with \`${programName} run\``
}
