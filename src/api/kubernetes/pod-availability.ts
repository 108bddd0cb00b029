import type { Pod } from './core.ts'

/** Serves, and is not on its way out. */
export function isReady(pod: Pod): boolean {
  return readySinceMs(pod) !== undefined
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
  const sinceMs = readySinceMs(pod)
  if (sinceMs === undefined) return undefined
  return minReadySeconds === 0 ? Number.NEGATIVE_INFINITY : sinceMs + minReadySeconds * 1_000
}

/** Undefined: it is not ready, or on its way out. */
export function readySinceMs(pod: Pod): number | undefined {
  if (isTerminating(pod)) return undefined
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
  return ready === undefined ? undefined : Date.parse(ready.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '')
}
