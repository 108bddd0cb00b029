import type { New } from '../../../api/kubernetes/meta.ts'
import type { Deployment, ReplicaSet } from '../objects.ts'
import { controllerReference } from '../ownership.ts'
import { templateHash } from '../template-hash.ts'
import { newSetReplicas } from './plan-rollout.ts'
import { annotations, fenceposts, hashLabel, replicasOf, type RolloutView } from './rollout-view.ts'

export const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' }

/** Annotations of a Deployment that say something about itself, and nothing about its sets. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  ...Object.values(annotations),
])

type Annotations = Readonly<Record<string, string>>

export function revisionOf({ metadata }: Deployment | ReplicaSet): number {
  return Number(metadata.annotations?.[annotations.revision] ?? 0)
}

/** The set for the Deployment's template, where there is none yet. */
export function buildReplicaSet(view: RolloutView): New<ReplicaSet> {
  const { deployment } = view
  const { spec, status, metadata } = deployment
  const hash = templateHash(spec?.template, status?.collisionCount ?? 0)
  const template = spec?.template ?? {}
  const labels = { ...template.metadata?.labels, [hashLabel]: hash }
  const selector = spec?.selector ?? {}
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations: annotationsFor(view, undefined),
      ownerReferences: [controllerReference(deploymentKind, metadata)],
    },
    spec: {
      replicas: newSetReplicas(view),
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

/** What the newest set's annotations are to be. A set that is rolled back to gets a new number and keeps the old. */
export function annotationsFor(view: RolloutView, set: ReplicaSet | undefined): Annotations {
  const { deployment, oldSets } = view
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name))
  const revisionBefore = set === undefined ? 0 : revisionOf(set)
  const revision = Math.max(0, ...oldSets.map(revisionOf)) + 1
  const isNewRevision = revisionBefore < revision
  const history = set?.metadata.annotations?.[annotations.revisionHistory]
  const remembered =
    isNewRevision && revisionBefore > 0 ? [history, String(revisionBefore)].filter(Boolean).join(',') : history
  return {
    ...set?.metadata.annotations,
    ...Object.fromEntries(copied),
    [annotations.revision]: String(isNewRevision ? revision : revisionBefore),
    ...(remembered === undefined ? {} : { [annotations.revisionHistory]: remembered }),
    ...(set === undefined ? scaleAnnotations(deployment) : {}),
  }
}

/** How large the Deployment was when a set was last scaled: the measure for the next change in the middle of a rollout. */
export function scaleAnnotations(deployment: Deployment): Annotations {
  const wanted = replicasOf(deployment)
  return {
    [annotations.desiredReplicas]: String(wanted),
    [annotations.maxReplicas]: String(wanted + fenceposts(deployment).maxSurge),
  }
}

export function withScale(deployment: Deployment, set: ReplicaSet, replicas: number): ReplicaSet {
  const metadata = { ...set.metadata, annotations: { ...set.metadata.annotations, ...scaleAnnotations(deployment) } }
  return { ...set, metadata, spec: { ...set.spec, replicas } }
}

/** Sets that are not kept for a rollback: without pods, and beyond the number that is to be kept. Oldest first. */
export function expiredSets({ deployment, oldSets }: RolloutView): ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const excess = alive.length - limit
  if (excess <= 0) return []
  const isEmpty = ({ metadata, spec, status }: ReplicaSet) =>
    (status?.replicas ?? 0) === 0 &&
    (spec?.replicas ?? 0) === 0 &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  return alive
    .toSorted((one, other) => revisionOf(one) - revisionOf(other))
    .slice(0, excess)
    .filter(isEmpty)
}
