import type { Deployment, ReplicaSet, StatefulSet } from '../../api/kubernetes/apps.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject, OwnerReference } from '../../api/kubernetes/meta.ts'
import { deployments, pods, replicaSets, statefulSets } from '../../api/kubernetes/resources.ts'
import { controllerOf } from '../workload/pod-state.ts'
import type { WorkloadReader, WorkloadWorld } from '../workload/workload-evacuator.ts'

/** What an autoscaler scales, if it scales what the pod belongs to. */
export interface TargetReference {
  readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet'
  readonly name: string
  readonly uid: string
}

export interface Target extends TargetReference {
  readonly replicas: number
  readonly minReadySeconds: number
  readonly progressDeadlineSeconds: number | undefined
  /** Why the pods that it wants are not there: in the words of its condition ReplicaFailure. */
  readonly refusal: string | undefined
}

/** Of the workload that autoscalers know: a ReplicaSet of a Deployment is none. */
export async function readTarget(pod: Pod, read: Pick<WorkloadReader, 'get'>): Promise<TargetReference | undefined> {
  const owner = controllerOf(pod)
  if (owner === undefined || owner.kind !== 'ReplicaSet') return referenceTo(owner)
  const set = await read.get(replicaSets, { namespace: pod.metadata.namespace, name: owner.name })
  return set?.metadata.uid === owner.uid ? referenceTo(controllerOf(set) ?? owner) : undefined
}

type Spec = NonNullable<Deployment['spec']>

/** The same from what is followed. */
export function targetReferenceIn(world: Pick<WorkloadWorld, 'get'>, pod: Pod): TargetReference | undefined {
  const owner = controllerOf(pod)
  if (owner === undefined || owner.kind !== 'ReplicaSet') return referenceTo(owner)
  const set = world.get(replicaSets, owner.name)
  return set?.metadata.uid === owner.uid ? referenceTo(controllerOf(set) ?? owner) : undefined
}

export function targetIn(world: WorkloadWorld, reference: TargetReference): Target | undefined {
  const found: Deployment | ReplicaSet | StatefulSet | undefined = world.get(resourceOf[reference.kind], reference.name)
  if (found === undefined || found.metadata.uid !== reference.uid) return undefined
  const spec: Pick<Spec, 'replicas' | 'minReadySeconds' | 'progressDeadlineSeconds'> = found.spec ?? {}
  const { replicas = 1, minReadySeconds = 0, progressDeadlineSeconds } = spec
  const failure = found.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
  const refusal = failure === undefined ? undefined : (failure.message ?? failure.reason ?? 'no reason given')
  return { ...reference, replicas, minReadySeconds, progressDeadlineSeconds, refusal }
}

export function podsOf(world: WorkloadWorld, { kind, uid }: TargetReference): readonly Pod[] {
  if (kind !== 'Deployment') return controlledBy(world.ownedBy(pods, uid), uid)
  const sets = controlledBy(world.ownedBy(replicaSets, uid), uid)
  return sets.flatMap(({ metadata: { uid: set } }) => controlledBy(world.ownedBy(pods, set), set))
}

/** Those that scale the target, the first by name before the others: all of them would be at odds anyway. */
export function autoscalersOf(
  all: readonly HorizontalPodAutoscaler[],
  target: TargetReference,
): readonly HorizontalPodAutoscaler[] {
  return all.filter((autoscaler) => scales(autoscaler, target)).toSorted(byName)
}

export function scales({ spec }: HorizontalPodAutoscaler, target: TargetReference): boolean {
  const { apiVersion = 'apps/v1', kind, name } = spec?.scaleTargetRef ?? {}
  return apiVersion.startsWith('apps/') && kind === target.kind && name === target.name
}

const resourceOf = { Deployment: deployments, ReplicaSet: replicaSets, StatefulSet: statefulSets } as const

function referenceTo(owner: OwnerReference | undefined): TargetReference | undefined {
  if (owner === undefined || !isKnown(owner.kind) || !owner.apiVersion.startsWith('apps/')) return undefined
  return { kind: owner.kind, name: owner.name, uid: owner.uid }
}

function isKnown(kind: string): kind is TargetReference['kind'] {
  return Object.hasOwn(resourceOf, kind)
}

function controlledBy<T extends KubernetesObject>(objects: readonly T[], uid: string): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === uid)
}

function byName(one: HorizontalPodAutoscaler, other: HorizontalPodAutoscaler): number {
  return one.metadata.name < other.metadata.name ? -1 : 1
}
