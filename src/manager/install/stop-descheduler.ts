import { isKubeError } from '../../kube/client/errors.ts'
import { isOurs } from '../register/admission-objects.ts'
import { readObject, removeObject, type ApplyParts } from './apply.ts'
import { deschedulerLabels, installation } from './installation-names.ts'
import { cronJobs, jobs } from '../manifests/resources.ts'
import { scaleToZero, untilPodsEnded } from './stop-replicas.ts'

const { descheduler: name } = installation
const labelSelector = Object.entries(deschedulerLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')

/** Ends the descheduler within the cluster, and waits until none of its pods runs any more. False: there is none. */
export async function stopDescheduler(parts: ApplyParts, namespace: string): Promise<boolean> {
  const wasThere = [await scaleToZero(parts, { namespace, name }), await stopCronJob(parts, namespace)].includes(true)
  if (wasThere) await untilPodsEnded(parts, namespace, deschedulerLabels)
  return wasThere
}

/** Neither a cycle that runs nor one that cannot start, for want of the image say, is waited for. */
async function stopCronJob(parts: ApplyParts, namespace: string): Promise<boolean> {
  const { kube, signal } = parts
  const cronJob = await readObject(parts, cronJobs, { namespace, name })
  if (cronJob === undefined || !isOurs(cronJob)) return false
  try {
    // Not deleted, as Deployments are not.
    await kube.patch(cronJobs, { namespace, name }, { type: 'merge', body: { spec: { suspend: true } } }, { signal })
  } catch (error) {
    if (!isKubeError(error, 'notFound')) throw error
  }
  const { items } = await kube.list(jobs, { namespace, labelSelector, signal })
  for (const job of items) await removeObject(parts, jobs, job)
  return true
}
