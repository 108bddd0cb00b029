import type { Pod } from '../kubernetes/core.ts'
import type { Anonymous } from '../kubernetes/meta.ts'
import { annotations } from '../names.ts'

/** In the order in which a drain takes them away. */
export const podTypes = ['Default', 'DaemonSet', 'Static'] as const
export type PodType = (typeof podTypes)[number]

export function podTypeOf(pod: Anonymous<Pod>): PodType {
  const { annotations: podAnnotations = {}, ownerReferences = [] } = pod.metadata
  if (Object.hasOwn(podAnnotations, annotations.mirrorPod)) return 'Static'
  const isDaemonSetPod = ownerReferences.some(
    (owner) => owner.controller === true && owner.kind === 'DaemonSet' && owner.apiVersion === 'apps/v1',
  )
  return isDaemonSetPod ? 'DaemonSet' : 'Default'
}
