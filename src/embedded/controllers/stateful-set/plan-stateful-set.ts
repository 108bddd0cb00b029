import { resolveIntOrPercent } from '../int-or-percent.ts'
import type { Pod, StatefulSet } from '../objects.ts'
import { isAvailable, isFinished, isReady, isTerminating } from '../pod-status.ts'
import { ordinalOf, revisionOfPod } from './stateful-pod.ts'

export interface StatefulView {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  readonly currentRevision: string
  readonly updateRevision: string
}

export type StatefulStep =
  | { readonly kind: 'create'; readonly ordinal: number; readonly revision: 'current' | 'update' }
  | { readonly kind: 'delete'; readonly pod: Pod }

/** What to do now. In order, it is one thing at a time and nothing while a pod is on its way up or down. */
export function planStatefulSet(view: StatefulView, nowMs: number): StatefulStep[] {
  const { set } = view
  const start = set.spec?.ordinals?.start ?? 0
  const end = start + (set.spec?.replicas ?? 1)
  const inOrder = set.spec?.podManagementPolicy !== 'Parallel'
  const byOrdinal = podsByOrdinal(view)
  const steps: StatefulStep[] = []
  for (let ordinal = start; ordinal < end; ordinal++) {
    const step = planReplica(view, ordinal, byOrdinal.get(ordinal), nowMs)
    if (step === 'fine') continue
    if (step !== 'wait') steps.push(step)
    if (inOrder) return steps
  }
  const condemned = [...byOrdinal].filter(([ordinal]) => ordinal < start || ordinal >= end)
  for (const [, pod] of condemned.toSorted(([one], [other]) => other - one)) {
    if (!isTerminating(pod)) steps.push({ kind: 'delete', pod })
    if (inOrder) return steps
  }
  return steps.length > 0 ? steps : planUpdate(view, byOrdinal, nowMs)
}

function planReplica(
  view: StatefulView,
  ordinal: number,
  pod: Pod | undefined,
  nowMs: number,
): StatefulStep | 'wait' | 'fine' {
  if (pod === undefined) return { kind: 'create', ordinal, revision: revisionFor(view, ordinal) }
  if (isTerminating(pod)) return 'wait'
  if (isFinished(pod)) return { kind: 'delete', pod }
  return isAvailable(pod, view.set.spec?.minReadySeconds ?? 0, nowMs) ? 'fine' : 'wait'
}

/** Below the partition, and where the update has not come yet, a lost pod comes back as it was. */
function revisionFor(
  { set, pods, currentRevision, updateRevision }: StatefulView,
  ordinal: number,
): 'current' | 'update' {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec?.updateStrategy ?? {}
  if (currentRevision === updateRevision) return 'update'
  if (type !== 'RollingUpdate') return 'current'
  const start = set.spec?.ordinals?.start ?? 0
  const { partition = 0 } = rollingUpdate ?? {}
  if (partition > 0) return ordinal < start + partition ? 'current' : 'update'
  const stillCurrent = pods.filter((pod) => revisionOfPod(pod) === currentRevision && !isTerminating(pod)).length
  return ordinal < start + stillCurrent ? 'current' : 'update'
}

/** From the last to the first down to the partition; the next when the one before is back. */
function planUpdate(view: StatefulView, byOrdinal: ReadonlyMap<number, Pod>, nowMs: number): StatefulStep[] {
  const { set, updateRevision } = view
  const { type = 'RollingUpdate', rollingUpdate } = set.spec?.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return []
  const start = set.spec?.ordinals?.start ?? 0
  const replicas = set.spec?.replicas ?? 1
  const first = start + (rollingUpdate?.partition ?? 0)
  const maxUnavailable = Math.max(1, resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, replicas, 'down'))
  const minReadySeconds = set.spec?.minReadySeconds ?? 0
  let unavailable = 0
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined || isTerminating(pod) || !isAvailable(pod, minReadySeconds, nowMs)) unavailable++
  }
  const steps: StatefulStep[] = []
  for (let ordinal = start + replicas - 1; ordinal >= first; ordinal--) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined || isTerminating(pod) || revisionOfPod(pod) === updateRevision) continue
    const isUp = isAvailable(pod, minReadySeconds, nowMs)
    // One that is down already costs nothing.
    if (isUp && unavailable + steps.length >= maxUnavailable) break
    steps.push({ kind: 'delete', pod })
    if (!isUp) unavailable--
  }
  return steps
}

export function buildStatefulStatus(view: StatefulView, nowMs: number): object {
  const { set, currentRevision, updateRevision } = view
  const pods = [...podsByOrdinal(view).values()]
  const alive = pods.filter((pod) => !isTerminating(pod))
  const counted = {
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
    availableReplicas: pods.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs)).length,
    updatedReplicas: alive.filter((pod) => revisionOfPod(pod) === updateRevision).length,
    currentReplicas: alive.filter((pod) => revisionOfPod(pod) === currentRevision).length,
  }
  const isRolling = set.spec?.updateStrategy?.type !== 'OnDelete'
  const isUpdated = counted.updatedReplicas === counted.replicas && counted.readyReplicas === counted.replicas
  const isOver = isRolling && isUpdated && counted.replicas === (set.spec?.replicas ?? 1)
  return {
    ...set.status,
    ...counted,
    observedGeneration: set.metadata.generation ?? 0,
    currentRevision: isOver ? updateRevision : currentRevision,
    currentReplicas: isOver ? counted.updatedReplicas : counted.currentReplicas,
    updateRevision,
    collisionCount: set.status?.collisionCount ?? 0,
  }
}

function podsByOrdinal({ set, pods }: StatefulView): Map<number, Pod> {
  const known = pods.map((pod) => [ordinalOf(set, pod), pod] as const)
  return new Map(known.filter((entry): entry is readonly [number, Pod] => entry[0] !== undefined))
}
