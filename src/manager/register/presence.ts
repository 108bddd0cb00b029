import type { Lease } from '../../api/kubernetes/coordination.ts'
import { deployments, leases } from '../../api/kubernetes/resources.ts'
import { defaultLeaseDurations } from '../../kube/lease/decide-lease.ts'
import { readObject, type ApplyParts } from '../install/apply.ts'
import { installation } from '../install/installation-names.ts'

// Whether a Lifeboat is there already, and whose it is.

/** The release of Helm's that brought what runs in the namespace; undefined if Helm has nothing to do with it. */
export async function helmReleaseIn(parts: ApplyParts, namespace: string): Promise<string | undefined> {
  const deployment = await readObject(parts, deployments, { namespace, name: installation.deployment })
  return deployment?.metadata.annotations?.['meta.helm.sh/release-name']
}

/** Who leads now; undefined if no Lifeboat does. */
export async function leaderIn(
  parts: ApplyParts,
  namespace: string,
  name: string = installation.lease,
): Promise<string | undefined> {
  const lease: Lease | undefined = await readObject(parts, leases, { namespace, name })
  const { holderIdentity = '', renewTime = '' } = lease?.spec ?? {}
  return holderIdentity !== '' && isFresh(renewTime, parts.clock.nowMs()) ? holderIdentity : undefined
}

export function isFresh(renewTime: string, nowMs: number): boolean {
  return nowMs - Date.parse(renewTime) < defaultLeaseDurations.leaseMs
}
