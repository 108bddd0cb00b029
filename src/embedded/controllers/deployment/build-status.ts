import type { Deployment, ReplicaSet, WorkloadCondition } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { findCondition, withoutCondition, withWorkloadCondition } from '../workload-condition.ts'
import { availableOf, fenceposts, replicasOf, setsOf, sum, type RolloutView } from './rollout-view.ts'

type Status = NonNullable<Deployment['status']>
export interface Now {
  readonly ms: number
  readonly timestamp: string
}

/** Longer than any rollout: the deadline that means there is none. */
const noDeadlineSeconds = 2 ** 31 - 1

/** What the Deployment says about itself; `kubectl rollout status` reads these numbers and reasons. */
export function buildDeploymentStatus(
  view: RolloutView,
  now: Now,
  options: { readonly judgesProgress: boolean },
): Status {
  const counted = countReplicas(view, now)
  if (!options.judgesProgress) return counted
  const conditions = withReplicaFailure(view, withProgress(view, counted, now))
  return { ...counted, conditions }
}

function countReplicas(view: RolloutView, now: Now): Status {
  const { deployment, newSet } = view
  const sets = setsOf(view)
  const wanted = replicasOf(deployment)
  const available = sum(sets, availableOf)
  const isAvailable = available >= wanted - fenceposts(deployment).maxUnavailable
  const { collisionCount, conditions = [] } = deployment.status ?? {}
  const condition = isAvailable
    ? { status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(sets, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets, replicasOf) - available),
    terminatingReplicas: sum(sets, ({ status }) => status?.terminatingReplicas ?? 0),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withWorkloadCondition(conditions, { type: 'Available', ...condition }, now.timestamp),
  }
}

function withProgress({ deployment, newSet }: RolloutView, status: Status, now: Now): readonly WorkloadCondition[] {
  const conditions = status.conditions ?? []
  const type = 'Progressing'
  if (deadlineSecondsOf(deployment) === undefined) return withoutCondition(conditions, type)
  const before = findCondition(conditions, type)
  const isOver = status.replicas === status.updatedReplicas && before?.reason === 'NewReplicaSetAvailable'
  if (isOver) return conditions
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`
    return withWorkloadCondition(
      conditions,
      { type, status: 'True', reason: 'NewReplicaSetAvailable', message },
      now.timestamp,
    )
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const change = { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` }
    return withWorkloadCondition(conditions, change, now.timestamp, { alwaysUpdate: true })
  }
  const dueMs = progressDueMs(deployment, status)
  if (dueMs === undefined || dueMs >= now.ms) return conditions
  const message = `${subject} has timed out progressing.`
  return withWorkloadCondition(
    conditions,
    { type, status: 'False', reason: 'ProgressDeadlineExceeded', message },
    now.timestamp,
  )
}

/** When the rollout will have made no progress for too long; undefined while nothing is awaited. */
export function progressDueMs(deployment: Deployment, status: Status): number | undefined {
  const deadlineSeconds = deadlineSecondsOf(deployment)
  const condition = findCondition(status.conditions, 'Progressing')
  if (deadlineSeconds === undefined || condition === undefined) return undefined
  if (condition.reason === 'NewReplicaSetAvailable' || condition.reason === 'ProgressDeadlineExceeded') return undefined
  return timeOf(condition.lastUpdateTime) + deadlineSeconds * 1_000
}

export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = replicasOf(deployment)
  const { updatedReplicas, replicas, availableReplicas } = status
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted
}

function hasProgressed(before: Status, now: Status): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: Status) => replicas - updatedReplicas
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

export function deadlineSecondsOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds ?? noDeadlineSeconds
  return seconds === noDeadlineSeconds ? undefined : seconds
}

function withReplicaFailure(view: RolloutView, conditions: readonly WorkloadCondition[]): readonly WorkloadCondition[] {
  const failed = (set: ReplicaSet | undefined) => findCondition(set?.status?.conditions, 'ReplicaFailure')
  const failure = failed(view.newSet) ?? view.oldSets.map(failed).find((condition) => condition !== undefined)
  const others = withoutCondition(conditions, 'ReplicaFailure')
  if (failure === undefined) return others
  const known = findCondition(conditions, 'ReplicaFailure')
  if (known?.reason === failure.reason && known?.message === failure.message) return conditions
  return [...others, { lastUpdateTime: failure.lastTransitionTime ?? '', ...failure }]
}

/** Pausing stops the clock of the deadline, and says so. */
export function withPause(deployment: Deployment, now: string): readonly WorkloadCondition[] {
  const conditions = deployment.status?.conditions ?? []
  if (deadlineSecondsOf(deployment) === undefined) return conditions
  const before = findCondition(conditions, 'Progressing')
  if (before?.reason === 'ProgressDeadlineExceeded') return conditions
  const wasPaused = before?.reason === 'DeploymentPaused'
  const isPaused = deployment.spec?.paused === true
  if (wasPaused === isPaused) return conditions
  const change = isPaused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' }
  return withWorkloadCondition(conditions, { type: 'Progressing', status: 'Unknown', ...change }, now)
}
