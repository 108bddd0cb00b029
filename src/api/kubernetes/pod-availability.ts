import type { Pod, PodCondition } from './core.ts'

/** Serves, and is not on its way out. */
export function isReady(pod: Pod): boolean {
  return readyCondition(pod) !== undefined
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** As workloads count it: ready for so long, and not on its way out. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds)
  return atMs !== undefined && atMs <= nowMs
}

/** When a ready pod becomes available if nothing happens; no event tells of it. Undefined: it is not even ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  if (minReadySeconds === 0) return isReady(pod) ? Number.NEGATIVE_INFINITY : undefined
  const sinceMs = readySinceMs(pod)
  return sinceMs === undefined ? undefined : sinceMs + minReadySeconds * 1_000
}

/** Undefined: it is not ready, or on its way out. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = readyCondition(pod)
  return ready === undefined ? undefined : Date.parse(ready.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '')
}

function readyCondition(pod: Pod): PodCondition | undefined {
  if (isTerminating(pod)) return undefined
  return pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
}
