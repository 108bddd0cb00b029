import type { Deployment, ReplicaSet } from '../objects.ts'
import {
  annotations,
  availableOf,
  byAge,
  fenceposts,
  isRecreate,
  replicasOf,
  setsOf,
  sum,
  type RolloutView,
} from './rollout-view.ts'

export interface Scale {
  readonly set: ReplicaSet
  readonly replicas: number
}

/** Whether the wanted number changed since the sets were last scaled. */
export function isScalingEvent(view: RolloutView): boolean {
  const wanted = String(replicasOf(view.deployment))
  return active(setsOf(view)).some(({ metadata }) => {
    const known = metadata.annotations?.[annotations.desiredReplicas]
    return known !== undefined && known !== wanted
  })
}

/** A change of the number alone: one set takes it, or all that have pods take their share. */
export function planScaling(view: RolloutView): Scale[] {
  const { deployment, newSet, oldSets } = view
  const wanted = replicasOf(deployment)
  const single = activeOrLatest(view)
  if (single !== undefined) return replicasOf(single) === wanted ? [] : [{ set: single, replicas: wanted }]
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return active(oldSets).map((set) => ({ set, replicas: 0 }))
  }
  return isRecreate(deployment) ? [] : planShares(deployment, active(setsOf(view)))
}

function active(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter((set) => replicasOf(set) > 0)
}

function activeOrLatest(view: RolloutView): ReplicaSet | undefined {
  const withPods = active(setsOf(view))
  if (withPods.length === 0) return view.newSet ?? view.oldSets.at(-1)
  return withPods.length === 1 ? withPods[0] : undefined
}

function isSaturated(deployment: Deployment, newSet: ReplicaSet): boolean {
  const wanted = replicasOf(deployment)
  const noted = newSet.metadata.annotations?.[annotations.desiredReplicas]
  return replicasOf(newSet) === wanted && noted === String(wanted) && availableOf(newSet) === wanted
}

/** In the middle of a rollout each set grows or shrinks in proportion, so that a bad version stays as small as it is. */
function planShares(deployment: Deployment, sets: readonly ReplicaSet[]): Scale[] {
  const wanted = replicasOf(deployment)
  const allowed = wanted > 0 ? wanted + fenceposts(deployment).maxSurge : 0
  const toAdd = allowed - sum(sets, replicasOf)
  // The largest come first; of equals the newer ones grow first and the older ones shrink first.
  const sorted = sets.toSorted((one, other) => {
    const bySize = replicasOf(other) - replicasOf(one)
    return bySize !== 0 ? bySize : toAdd > 0 ? byAge(other, one) : byAge(one, other)
  })
  let added = 0
  const sizes = sorted.map((set) => {
    const share = toAdd === 0 ? 0 : shareOf(set, deployment, toAdd, added)
    added += share
    return replicasOf(set) + share
  })
  // What rounding left over goes to the largest.
  return sorted.map((set, index) => {
    const size = (sizes[index] ?? 0) + (index === 0 ? toAdd - added : 0)
    return { set, replicas: Math.max(0, size) }
  })
}

function shareOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  const left = toAdd - added
  const fraction = fractionOf(set, deployment)
  return toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left)
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const wanted = replicasOf(deployment)
  if (wanted === 0) return -replicasOf(set)
  const noted = Number(set.metadata.annotations?.[annotations.maxReplicas] ?? 0)
  const maxBefore = noted > 0 ? noted : (deployment.status?.replicas ?? 0)
  if (maxBefore === 0) return 0
  const size = (replicasOf(set) * (wanted + fenceposts(deployment).maxSurge)) / maxBefore
  return Math.round(size) - replicasOf(set)
}
