import { mailboxNameOf } from '../api/maintenance/agent-mailbox.ts'
import { daemonSets, leases } from '../api/kubernetes/resources.ts'
import type { Kube } from '../kube/client/client.ts'
import { unlessNotFound } from '../kube/client/errors.ts'
import type { ShutdownKeeper } from './shutdown/shutdown-keeper.ts'
import type { ManifestFolder } from './static-pods/manifest-folder.ts'
import { keepStaticPods } from './static-pods/static-pod-keeper.ts'

export interface LeavingOptions {
  readonly kube: Kube
  readonly namespace: string
  readonly node: string
  /** The DaemonSet that runs the agent. */
  readonly daemonSet: string
  readonly manifests: ManifestFolder | undefined
  readonly shutdown?: Pick<ShutdownKeeper, 'leave'> | undefined
}

/**
 * What an agent does last. Mostly another one follows it, and all stays as it is. But with its DaemonSet gone, no agent
 * would ever bring back what is parked. True: it leaves for good.
 */
export async function leave(options: LeavingOptions, signal: AbortSignal): Promise<boolean> {
  const { kube, namespace, node, daemonSet, manifests, shutdown } = options
  const found = await unlessNotFound(kube.get(daemonSets, { namespace, name: daemonSet }, { signal }))
  if (found !== undefined && found.metadata.deletionTimestamp === undefined) return false
  if (manifests !== undefined) await keepStaticPods(manifests, { park: [] })
  await shutdown?.leave(signal)
  await unlessNotFound(kube.delete(leases, { namespace, name: mailboxNameOf(node) }, { signal }))
  return true
}
