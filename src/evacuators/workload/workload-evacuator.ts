import type { Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject, New, Unnamed } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import type { Rehearsal } from '../../kube/client/rehearsal.ts'
import type { CancelResult, StepResult, Turn, Working } from '../evacuator.ts'

/** A built-in evacuator: knows one kind of workload. It reads and decides; the adapter around it writes. */
export interface WorkloadEvacuator<View> {
  readonly evacuatorClass: string
  /** Says nothing of what is over a moment later. */
  readonly sparing?: true
  /** A webhook deals with what comes after a pod of it: before the API server reaches that, no pod is touched. */
  readonly needsWebhooks?: true
  /**
   * Who evacuates the pod, asked before its Evacuation is there; undefined: not by this one. By plain GETs: most pods of
   * a cluster are never evacuated, so nothing is followed for them.
   */
  claim(pod: Pod, read: WorkloadReader): Promise<Registration | undefined>
  /** What is followed while an Evacuation of the pod has this class as its active one, or is held by it. */
  follows(pod: Pod): readonly Followed[]
  /** Steps of one workload never run at once. Unique within the namespace and this class. */
  workloadOf(pod: Pod, world: WorkloadWorld): string
  /** The only part that reads. What it asks `world` for is what wakes the evacuation when it changes. */
  gather(turn: WorkloadTurn, world: WorkloadWorld): Promise<View>
  /** Pure. Called until it says something else than `write`, each time with a view gathered after the last write. */
  step(view: View, nowMs: number): WorkloadStep
  /** Pure; only where there is something to put back, beside the registration on the pod, which the adapter takes off. */
  cancel?(view: View, nowMs: number): WorkloadCancelStep
}

/** For a list of them: what is in a view concerns its own evacuator alone. */
export type AnyWorkloadEvacuator = WorkloadEvacuator<unknown>

export interface WorkloadTurn extends Pick<Turn, 'evacuation' | 'pod' | 'nowMs' | 'signal'> {
  /** When `step` last said `evict`, as far as this process knows. */
  readonly evictionAskedMs?: number
}

/** Of a namespaced kind: all objects in the namespace of the pod. Of another kind, or Leases: the one with this name. */
export interface Followed {
  readonly resource: Resource<KubernetesObject>
  readonly name?: string
  /** If it is another than that of the pod; of Leases. */
  readonly namespace?: string
}

/** Asks the API server. */
export interface WorkloadReader {
  get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined>
  /** Every object of the kind in the namespace, or those with a label: for what there are few of. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    namespace: string,
    labelSelector?: string,
  ): Promise<readonly T[]>
  /** For what the owner of an object should know: that it says something that has no meaning. */
  readonly tell?: (event: ClusterEvent) => void
}

/**
 * The namespace of the pod as the caches have it, and newer where Lifeboat wrote something that they do not show yet. A
 * pod that is about to be evicted is still there and looks as if it were not ready. Only kinds that `follows` names can
 * be asked for.
 */
export interface WorkloadWorld {
  readonly namespace: string
  get<T extends KubernetesObject>(resource: Resource<T>, name: string, namespace?: string): T | undefined
  /** Those with an owner reference to this UID, controller or not; pods also if they were released from it. */
  ownedBy<T extends KubernetesObject>(resource: Resource<T>, ownerUid: string): readonly T[]
  /**
   * Looks at every object of the kind in the namespace: for kinds with few objects. `matches` must not change its mind
   * about an object of the same generation and labels. Where it depends on nothing else but `shared`, such as the labels
   * that pods of a workload have in common, they are not all looked at each time.
   */
  select<T extends KubernetesObject>(
    resource: Resource<T>,
    matches: (object: T) => boolean,
    shared?: object,
  ): readonly T[]
  /** For what is not followed. */
  readonly read: WorkloadReader
  /** What would become of a new object, by a dry run. The same question within ten seconds gets the same answer. */
  rehearse<T extends KubernetesObject>(resource: Resource<T>, object: New<T> | Unnamed<T>): Promise<Rehearsal<T>>
}

export type WorkloadStep = StepResult | WorkloadWrite
export type WorkloadCancelStep = CancelResult | WorkloadWrite

export interface WorkloadWrite {
  readonly kind: 'write'
  readonly write: Write
}

export type Write = PatchWrite | DeletePodWrite

/**
 * A merge patch on the version of the object that was looked at. If there is a newer one, or another object of the name,
 * or none, nothing is written and the view is gathered again.
 */
export interface PatchWrite {
  readonly kind: 'patch'
  readonly resource: Resource<KubernetesObject>
  readonly object: KubernetesObject
  readonly change: { readonly metadata?: MetadataChange; readonly spec?: unknown }
}

/** Null takes an entry away. Lists are replaced as a whole. */
export interface MetadataChange {
  readonly labels?: Readonly<Record<string, string | null>>
  readonly annotations?: Readonly<Record<string, string | null>>
  readonly ownerReferences?: readonly unknown[]
}

/** Not through the eviction API: budgets are not asked. A pod that is gone already is fine. */
export interface DeletePodWrite {
  readonly kind: 'deletePod'
  readonly pod: PodRef
  /** Reported once the evacuated pod itself was deleted, in place of general words. */
  readonly says?: Working
}
