import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject, OwnerReference } from '../../api/kubernetes/meta.ts'

/** It runs, or will, as far as its controller is concerned. */
export function isActive(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isFinished(pod)
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Undefined: it is not ready, or does not say since when. */
export function readySinceMs({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True')
  const sinceMs = Date.parse(ready?.lastTransitionTime ?? '')
  return Number.isNaN(sinceMs) ? undefined : sinceMs
}

export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** It has been seen to go, and only the cache is late. */
export function asTerminating(pod: Pod, nowMs: number): Pod {
  if (pod.metadata.deletionTimestamp !== undefined) return pod
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(nowMs).toISOString() } }
}
