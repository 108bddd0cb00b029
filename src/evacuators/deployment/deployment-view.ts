import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Deployment, ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { PersistentVolumeClaim, Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject, OwnerReference } from '../../api/kubernetes/meta.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import {
  deployments,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
  type Resource,
} from '../../api/kubernetes/resources.ts'
import { coveringPods } from '../workload/budget-gate.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { releasedFromOf, type ReleasedFrom } from '../workload/released-from.ts'
import type { WorkloadTurn, WorkloadWorld } from '../workload/workload-evacuator.ts'
import { hashLabel, isReleased, wouldAdopt } from './release-pod.ts'

/** What there is to know about a pod that should leave and the Deployment it is of, or was. */
export interface DeploymentView {
  readonly evacuation: Evacuation
  readonly pod: Pod
  /** Undefined: it is gone, another one has its name, or the pod is of none. */
  readonly deployment: Deployment | undefined
  /** Of the Deployment; without one, the one that the pod is of, or was. */
  readonly replicaSets: readonly ReplicaSet[]
  /** The one that the pod is of, or was before it was released and would go back to: by name, it may be a new one. */
  readonly replicaSet: ReplicaSet | undefined
  /** Of all these ReplicaSets, also those that terminate, and those that are about to be adopted again. */
  readonly owned: readonly Pod[]
  /** That were released from the Deployment and are still there. */
  readonly released: readonly Pod[]
  /** That cover the pod. */
  readonly budgets: readonly PodDisruptionBudget[]
  /** The claims of its volumes. */
  readonly claims: readonly PersistentVolumeClaim[]
  readonly evictionAskedMs: number | undefined
}

export async function gatherDeployment(turn: WorkloadTurn, world: WorkloadWorld): Promise<DeploymentView> {
  const { evacuation, pod, evictionAskedMs } = turn
  const { replicaSet, deployment } = await ownersOfPod(pod, world)
  const uid = deployment?.metadata.uid
  const sets =
    uid === undefined
      ? [replicaSet].filter((set) => set !== undefined)
      : world.ownedBy(replicaSets, uid).filter(isControlledBy(uid))
  const owned = sets.flatMap(({ metadata: { uid: setUid } }) =>
    world.ownedBy(pods, setUid).filter((other) => isCountedBy(setUid)(other) && !isReleased(other)),
  )
  return {
    evacuation,
    pod,
    deployment,
    replicaSets: sets,
    replicaSet,
    owned,
    released: uid === undefined ? [] : world.ownedBy(pods, uid).filter((other) => wasOfOne(other, sets)),
    budgets: world.select(podDisruptionBudgets, coveringPods(pod.metadata.labels), pod.metadata.labels),
    claims: claimNames(pod)
      .map((name) => world.get(persistentVolumeClaims, name))
      .filter((claim) => claim !== undefined),
    evictionAskedMs,
  }
}

/**
 * What the caches say, unless the workload of a released pod looks as if it were going: of two watches one may be late,
 * and a ReplicaSet that looks as if it went with its Deployment may have been left behind.
 */
async function ownersOfPod(pod: Pod, world: WorkloadWorld): Promise<Pick<DeploymentView, 'replicaSet' | 'deployment'>> {
  const replicaSet = replicaSetOf(pod, world)
  const deployment = deploymentOf(pod, replicaSet, world)
  const from = formerOwner(pod)
  const isWell = [replicaSet, deployment].every((owner) => owner !== undefined && !willBeCollected(owner))
  if (from === undefined || isWell) return { replicaSet, deployment }
  const { namespace, read } = world
  const set = await read.get(replicaSets, { namespace, name: from.replicaSet })
  const found = await read.get(deployments, { namespace, name: from.deployment.name })
  return {
    replicaSet: set !== undefined && wouldAdopt(set, pod, from) ? set : undefined,
    deployment: found?.metadata.uid === from.deployment.uid ? found : undefined,
  }
}

/** Released from one of these: what its annotation says counts only as far as its labels agree. */
function wasOfOne(pod: Pod, sets: readonly ReplicaSet[]): boolean {
  const from = isReleased(pod) ? releasedFromOf(pod) : undefined
  return from !== undefined && sets.some((set) => wouldAdopt(set, pod, from))
}

/** The claims that the pod shares with its successor; an ephemeral volume is made again for each pod. */
export function claimNames({ spec }: Pod): string[] {
  const names = (spec?.volumes ?? []).map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName)
  return names.filter((name) => name !== undefined)
}

export function isOfKind(owner: OwnerReference | undefined, { group, kind }: Resource<KubernetesObject>) {
  return owner?.kind === kind && owner.apiVersion.startsWith(`${group}/`)
}

/**
 * The ReplicaSet that the pod is of, was released from, or is about to be adopted by again: a pod that has just been
 * put back has no controller for a moment, and is evacuated as its Deployment wants it all the same.
 */
export function replicaSetRefOf(pod: Pod): OwnerReference | undefined {
  const controller = controllerOf(pod)
  const owners = controller === undefined ? (pod.metadata.ownerReferences ?? []) : [controller]
  return owners.find((owner) => isOfKind(owner, replicaSets))
}

/** Whether its deletion, which has begun, takes along what it owns. */
export function willBeCollected({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes('orphan')
}

/** Steps of one Deployment must not run at once; a pod of none waits for no other. */
export function deploymentUidOf(pod: Pod, world: WorkloadWorld): string {
  const released = formerOwner(pod)
  if (released !== undefined) return released.deployment.uid
  const replicaSet = replicaSetOf(pod, world)
  return (replicaSet === undefined ? undefined : controllerOf(replicaSet)?.uid) ?? pod.metadata.uid
}

/** Also of a pod that a user gave its label back, until it is adopted. */
function formerOwner(pod: Pod): ReleasedFrom | undefined {
  return isReleased(pod) || controllerOf(pod) === undefined ? releasedFromOf(pod) : undefined
}

function replicaSetOf(pod: Pod, world: WorkloadWorld): ReplicaSet | undefined {
  const released = formerOwner(pod)
  if (released !== undefined) {
    const former = world.get(replicaSets, released.replicaSet)
    return former !== undefined && wouldAdopt(former, pod, released) ? former : undefined
  }
  const owner = replicaSetRefOf(pod)
  if (owner === undefined) return undefined
  const found = world.get(replicaSets, owner.name)
  return found?.metadata.uid === owner.uid ? found : undefined
}

function deploymentOf(pod: Pod, replicaSet: ReplicaSet | undefined, world: WorkloadWorld): Deployment | undefined {
  const controller = replicaSet === undefined ? undefined : controllerOf(replicaSet)
  const owner = isOfKind(controller, deployments) ? controller : formerOwner(pod)?.deployment
  if (owner === undefined) return undefined
  const found = world.get(deployments, owner.name)
  return found?.metadata.uid === owner.uid ? found : undefined
}

/**
 * What the ReplicaSet has, or will have as soon as it adopts a pod that got its label back: it then removes the pod that
 * is too many, and until it has, no other pod may be released.
 */
function isCountedBy(uid: string) {
  const isReturning = (pod: Pod) => controllerOf(pod) === undefined && pod.metadata.labels?.[hashLabel] !== undefined
  return (pod: Pod) => isControlledBy(uid)(pod) || isReturning(pod)
}

function isControlledBy(uid: string) {
  return (object: KubernetesObject) => controllerOf(object)?.uid === uid
}
