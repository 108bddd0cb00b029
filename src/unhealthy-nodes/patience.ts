import { isTakenOver } from '../api/evacuation/evict-policy.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { annotations } from '../api/names.ts'
import { podTypeOf } from '../api/maintenance/pod-type.ts'
import { tolerates } from '../api/kubernetes/taints.ts'
import { unhealthyTaints, type UnhealthyTaint } from '../api/maintenance/unhealthy-node.ts'

/**
 * How long Kubernetes would leave a pod on a node with this taint if its controller had no time of its own. Undefined:
 * forever, or there is no such time, and Kubernetes deletes the pod as if there were no Lifeboat.
 */
export function patienceMs(pod: Pod, taint: UnhealthyTaint): number | undefined {
  const { metadata, spec } = pod
  const added = metadata.annotations?.[annotations.addedTolerationSeconds] ?? ''
  const isWaitedFor = metadata.deletionTimestamp === undefined && isTakenOver(pod) && podTypeOf(pod) === 'Default'
  if (!isWaitedFor || !/^[0-9]{1,6}$/.test(added)) return undefined
  // As Kubernetes does it: the first that fits is the one that counts.
  const first = spec?.tolerations?.find((each) => tolerates(each, { key: taint, effect: 'NoExecute' }))
  // One without a key is for all taints, and got no time.
  if (first?.key !== taint || first.tolerationSeconds === undefined) return undefined
  return Math.max(0, first.tolerationSeconds - Number(added)) * 1_000
}

export function hasPatience(pod: Pod): boolean {
  return unhealthyTaints.some((taint) => patienceMs(pod, taint) !== undefined)
}
