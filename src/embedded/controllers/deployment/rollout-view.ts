import { resolveIntOrPercent } from '../int-or-percent.ts'
import type { Deployment, PodTemplate, ReplicaSet } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { canonical } from '../template-hash.ts'

export const hashLabel = 'pod-template-hash'
export const annotations = {
  revision: 'deployment.kubernetes.io/revision',
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const

/** All that a rollout is decided from. */
export interface RolloutView {
  readonly deployment: Deployment
  /** The one with the Deployment's template, if it was made. */
  readonly newSet: ReplicaSet | undefined
  /** The others, oldest first. */
  readonly oldSets: readonly ReplicaSet[]
}

export function viewRollout(deployment: Deployment, sets: readonly ReplicaSet[]): RolloutView {
  const sorted = sets.toSorted(byAge)
  const wanted = templateIdentity(deployment.spec?.template)
  const newSet = sorted.find(({ spec }) => templateIdentity(spec?.template) === wanted)
  return { deployment, newSet, oldSets: sorted.filter((set) => set !== newSet) }
}

export function setsOf({ newSet, oldSets }: RolloutView): readonly ReplicaSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet]
}

/** Oldest first; of the same second, by name. */
export function byAge(one: ReplicaSet, other: ReplicaSet): number {
  const difference = timeOf(one.metadata.creationTimestamp) - timeOf(other.metadata.creationTimestamp)
  if (difference !== 0) return difference
  return one.metadata.name < other.metadata.name ? -1 : 1
}

/** What the store holds never changes in place, so neither does what was worked out of it. */
const identities = new WeakMap<PodTemplate, string>()

/** Two templates are the same if nothing but the hash tells them apart: that is how a rollback finds its set. */
function templateIdentity(template: PodTemplate = {}): string {
  const known = identities.get(template)
  if (known !== undefined) return known
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {}
  const { annotations: noted = {}, ...metadata } = template.metadata ?? {}
  // None and an empty map are the same to the real server.
  const identity = canonical({ ...template, metadata: { ...metadata, labels, annotations: noted } })
  identities.set(template, identity)
  return identity
}

export function replicasOf({ spec }: Pick<Deployment | ReplicaSet, 'spec'>): number {
  return spec?.replicas ?? 1
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0)
}

export function isRecreate({ spec }: Deployment): boolean {
  return spec?.strategy?.type === 'Recreate'
}

/** How many pods may be there beyond, and missing from, the wanted number. Both 0 would never get anywhere. */
export function fenceposts(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  if (isRecreate(deployment)) return { maxSurge: 0, maxUnavailable: 0 }
  const replicas = replicasOf(deployment)
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {}
  const surge = resolveIntOrPercent(maxSurge ?? '25%', replicas, 'up')
  const unavailable = resolveIntOrPercent(maxUnavailable ?? '25%', replicas, 'down')
  const missing = surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas)
  return { maxSurge: surge, maxUnavailable: replicas === 0 ? 0 : missing }
}
