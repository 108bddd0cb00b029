import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { settle } from '../../evacuators/horizontal-pod-autoscaler/surge.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { readObject, type ApplyParts } from '../install/apply.ts'

const limits = { conflictsMax: 5 }

/** Takes back what was raised for evacuations, of which there will be no more; resolves to how many there were. */
export async function releaseAutoscalers(parts: ApplyParts): Promise<number> {
  const { kube, signal } = parts
  const { items } = await kube.list(horizontalPodAutoscalers, { labelSelector: labels.autoscalerSurge, signal })
  for (const autoscaler of items) await releaseOne(parts, autoscaler)
  return items.length
}

async function releaseOne(parts: ApplyParts, listed: HorizontalPodAutoscaler): Promise<void> {
  let autoscaler = listed
  for (let conflicts = 0; ; conflicts++) {
    const write = settle(autoscaler, () => true)
    if (write === undefined) return
    const { uid, resourceVersion } = autoscaler.metadata
    const body = { ...write.change, metadata: { ...write.change.metadata, uid, resourceVersion } }
    try {
      await parts.kube.patch(write.resource, keyOf(autoscaler), { type: 'merge', body }, { signal: parts.signal })
      return
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound') || conflicts >= limits.conflictsMax) throw error
    }
    const again = await readObject(parts, horizontalPodAutoscalers, keyOf(listed))
    if (again === undefined || again.metadata.uid !== listed.metadata.uid) return
    autoscaler = again
  }
}
