import type { Scale } from './plan-scaling.ts'
import { availableOf, fenceposts, isRecreate, replicasOf, setsOf, sum, type RolloutView } from './rollout-view.ts'

/** How many pods the set with the Deployment's template is to have next, or to begin with. */
export function newSetReplicas(view: RolloutView): number {
  const { deployment, newSet } = view
  const wanted = replicasOf(deployment)
  const now = newSet === undefined ? 0 : replicasOf(newSet)
  if (isRecreate(deployment) || now > wanted) return wanted
  const room = wanted + fenceposts(deployment).maxSurge - sum(setsOf(view), replicasOf)
  return room <= 0 ? now : now + Math.min(room, wanted - now)
}

/** One step of a rolling update: first the new set grows, then, with what that made available, the old ones shrink. */
export function planRollingUpdate(view: RolloutView): Scale[] {
  const { newSet } = view
  if (newSet === undefined) return []
  const replicas = newSetReplicas(view)
  if (replicas !== replicasOf(newSet)) return [{ set: newSet, replicas }]
  return planShrinking(view)
}

/** All old pods first, and only when the last of them is gone the new ones. */
export function planRecreate(view: RolloutView, oldPodsRemain: boolean): Scale[] {
  const shrinking = view.oldSets.filter((set) => replicasOf(set) > 0).map((set) => ({ set, replicas: 0 }))
  if (shrinking.length > 0 || oldPodsRemain || view.newSet === undefined) return shrinking
  const wanted = replicasOf(view.deployment)
  return replicasOf(view.newSet) === wanted ? [] : [{ set: view.newSet, replicas: wanted }]
}

function planShrinking(view: RolloutView): Scale[] {
  const { deployment, newSet, oldSets } = view
  const minAvailable = replicasOf(deployment) - fenceposts(deployment).maxUnavailable
  const newUnavailable = newSet === undefined ? 0 : replicasOf(newSet) - availableOf(newSet)
  // New pods that are not there yet must not be counted on, or a bad version would take the good one down.
  const removableMax = sum(setsOf(view), replicasOf) - minAvailable - newUnavailable
  if (removableMax <= 0) return []
  const sizes = new Map(oldSets.map((set) => [set, replicasOf(set)]))
  let unhealthyLeft = removableMax
  for (const set of oldSets) {
    const removed = Math.min(unhealthyLeft, Math.max(0, replicasOf(set) - availableOf(set)))
    sizes.set(set, replicasOf(set) - removed)
    unhealthyLeft -= removed
  }
  let healthyLeft = sum(setsOf(view), availableOf) - minAvailable
  for (const set of oldSets) {
    const size = sizes.get(set) ?? 0
    const removed = Math.max(0, Math.min(size, healthyLeft))
    sizes.set(set, size - removed)
    healthyLeft -= removed
  }
  return oldSets
    .map((set) => ({ set, replicas: sizes.get(set) ?? 0 }))
    .filter(({ set, replicas }) => replicas !== replicasOf(set))
}
