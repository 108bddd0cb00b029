import type { Pod, PodCondition } from './objects.ts'

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True'
}

/** When the pod has been Ready for so long that it counts; undefined while it is not Ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = conditionOf(pod, 'Ready')
  if (ready?.status !== 'True') return undefined
  return minReadySeconds === 0 ? 0 : timeOf(ready.lastTransitionTime) + minReadySeconds * 1_000
}

export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds)
  return atMs !== undefined && atMs <= nowMs
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** One that its controller counts on. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod)
}

/** Milliseconds; 0 for what was never set. */
export function timeOf(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp)
}

type Change = Omit<PodCondition, 'lastTransitionTime'>

/** The conditions with one of them changed or added. Its time moves only when its status does. */
export function withCondition(
  conditions: readonly PodCondition[] | undefined,
  change: Change,
  now: string,
): readonly PodCondition[] {
  const known = conditions ?? []
  const before = known.find(({ type }) => type === change.type)
  const lastTransitionTime = before?.status === change.status ? (before.lastTransitionTime ?? now) : now
  const next = { ...change, lastTransitionTime }
  return before === undefined ? [...known, next] : known.map((condition) => (condition === before ? next : condition))
}
