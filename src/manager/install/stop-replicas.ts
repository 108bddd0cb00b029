import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { isOurs } from '../register/admission-objects.ts'
import { InstallationError, readObject, type ApplyParts } from './apply.ts'
import { installation, replicaLabels } from './installation-names.ts'

/** More than a pod is given to end. */
const limits = { goneWithinMs: 120_000, lookEveryMs: 200 }

/** Ends the replicas within the cluster, and waits until the last one is gone. False: there are none. */
export async function stopReplicas(parts: ApplyParts, namespace: string): Promise<boolean> {
  if (!(await scaleToZero(parts, { namespace, name: installation.deployment }))) return false
  await untilPodsEnded(parts, namespace, replicaLabels)
  return true
}

/** False: there is no such Deployment of ours. */
export async function scaleToZero(
  parts: ApplyParts,
  key: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const deployment = await readObject(parts, deployments, key)
  if (deployment === undefined || !isOurs(deployment)) return false
  try {
    // Not deleted: if a later step fails, the admin can start it again, and Helm finds what it wants to remove.
    const body = { spec: { replicas: 0 } }
    await parts.kube.patch(deployments, key, { type: 'merge', body }, { signal: parts.signal })
  } catch (error) {
    if (!isKubeError(error, 'notFound')) throw error
  }
  return true
}

/** Waits until no pod with these labels runs any more. Those of a Job stay behind when they are over. */
export async function untilPodsEnded(
  parts: ApplyParts,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { kube, signal } = parts
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  let names = ''
  const patience = { ...parts, withinMs: limits.goneWithinMs, everyMs: limits.lookEveryMs }
  const areEnded = await lookUntil(patience, async () => {
    const { items } = await kube.list(pods, { namespace, labelSelector, signal })
    const running = items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    names = running.map(({ metadata }) => metadata.name).join(', ')
    return running.length === 0 ? true : undefined
  })
  if (areEnded !== undefined) return
  throw new InstallationError(
    `pods of Lifeboat in namespace ${namespace} do not end: ${names}; see why with kubectl describe pod`,
  )
}
