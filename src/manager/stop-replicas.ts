import { deployments, pods } from '../api/kubernetes/resources.ts'
import { isKubeError } from '../kube/errors.ts'
import { lookUntil } from '../runtime/look-until.ts'
import { isOurs } from './admission-objects.ts'
import { InstallationError, readObject, type ApplyParts } from './apply.ts'
import { installation, replicaLabels } from './installation-names.ts'

/** More than a pod is given to end. */
const limits = { goneWithinMs: 120_000, lookEveryMs: 200 }

const labelSelector = Object.entries(replicaLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')

/** Ends the replicas within the cluster, and waits until the last one is gone. False: there are none. */
export async function stopReplicas(parts: ApplyParts, namespace: string): Promise<boolean> {
  const { kube, signal } = parts
  const key = { namespace, name: installation.deployment }
  const deployment = await readObject(parts, deployments, key)
  if (deployment === undefined || !isOurs(deployment)) return false
  try {
    // Not deleted: whoever fails further on can be started again, and Helm finds what it wants to remove.
    await kube.patch(deployments, key, { type: 'merge', body: { spec: { replicas: 0 } } }, { signal })
  } catch (error) {
    if (!isKubeError(error, 'notFound')) throw error
  }
  let names = ''
  const patience = { ...parts, withinMs: limits.goneWithinMs, everyMs: limits.lookEveryMs }
  const areGone = await lookUntil(patience, async () => {
    const { items } = await kube.list(pods, { namespace, labelSelector, signal })
    names = items.map(({ metadata }) => metadata.name).join(', ')
    return items.length === 0 ? true : undefined
  })
  if (areGone !== undefined) return true
  throw new InstallationError(
    `pods of Lifeboat in namespace ${namespace} do not end: ${names}; see why with kubectl describe pod`,
  )
}
