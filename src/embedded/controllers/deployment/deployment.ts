import { isDeepStrictEqual } from 'node:util'
import type { Next } from '../../../runtime/work-queue.ts'
import { ApiFailure } from '../../server/failure.ts'
import { timestamp } from '../../server/identity.ts'
import type { Stored } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { recordEvent } from '../event-record.ts'
import { forLife, ObjectGroups } from '../object-groups.ts'
import type { Deployment, ReplicaSet, WorkloadCondition } from '../objects.ts'
import { getObject } from '../typed-store.ts'
import { ignoring, writeObject, writeStatus } from '../outcome.ts'
import {
  applyClaims,
  controllerOf,
  controllerReference,
  nameOf,
  orphansOf,
  ownerGroup,
  ownerReferencesOf,
  planClaims,
  ownersConcerned,
} from '../ownership.ts'
import { isFinished } from '../pod-status.ts'
import { findCondition, withWorkloadCondition } from '../workload-condition.ts'
import {
  annotationsFor,
  buildReplicaSet,
  deploymentKind,
  expiredSets,
  revisionOf,
  withScale,
} from './build-replica-set.ts'
import {
  buildDeploymentStatus,
  deadlineSecondsOf,
  isComplete,
  progressDueMs,
  withPause,
  type Now,
} from './build-status.ts'
import { planRecreate, planRollingUpdate } from './plan-rollout.ts'
import { isScalingEvent, planScaling, type Scale } from './plan-scaling.ts'
import { annotations, isRecreate, replicasOf, viewRollout, type RolloutView } from './rollout-view.ts'

const resource = 'deployments.apps'
const setResource = 'replicasets.apps'
const component = 'deployment-controller'

export function startDeploymentController(parts: ControllerParts): AsyncDisposable {
  const controller = new DeploymentController(parts)
  const loop = startControlLoop({
    name: 'deployment',
    parts,
    reconcile: async (key) => await controller.reconcile(key),
    wakes: {
      [resource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)),
      [setResource]: (object, previous) => controller.ownersOf(object, previous),
      // Recreate waits for the last of the old pods.
      pods: (object, _previous, type) => (type === 'DELETED' ? controller.ownersOfPod(object) : []),
    },
  })
  return ending(loop, controller)
}

class DeploymentController implements Disposable {
  readonly #parts: ControllerParts
  readonly #sets: ObjectGroups<'replicasets.apps'>
  readonly #pods: ObjectGroups<'pods'>
  readonly #deployments: ObjectGroups<'deployments.apps'>

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#sets = new ObjectGroups(parts.store, setResource, {
      by: ownerReferencesOf,
      groupsOf: ({ metadata }) => [ownerGroup(metadata)],
    })
    this.#pods = new ObjectGroups(parts.store, 'pods', {
      by: ownerReferencesOf,
      groupsOf: ({ metadata }) => {
        const controller = controllerOf(metadata)
        return controller?.kind === 'ReplicaSet' ? [controller.uid] : []
      },
    })
    this.#deployments = new ObjectGroups(parts.store, resource, {
      by: forLife,
      groupsOf: ({ metadata }) => [metadata.namespace],
    })
  }

  [Symbol.dispose](): void {
    this.#sets[Symbol.dispose]()
    this.#pods[Symbol.dispose]()
    this.#deployments[Symbol.dispose]()
  }

  ownersOf(object: Stored, previous?: Stored): string[] {
    return ownersConcerned('Deployment', object, previous, (namespace) => this.#deployments.in(namespace))
  }

  ownersOfPod({ metadata }: Stored): string[] {
    const controller = controllerOf(metadata)
    if (controller?.kind !== 'ReplicaSet') return []
    const set = this.#parts.store.get(setResource, `${metadata.namespace}/${controller.name}`)
    return set === undefined ? [] : this.ownersOf(set)
  }

  async reconcile(key: string): Promise<Next> {
    const deployment = getObject(this.#parts.store, resource, key)
    const selector = deployment?.spec?.selector
    if (deployment === undefined || selector === undefined) return settled
    const { uid, namespace } = deployment.metadata
    const candidates = [...this.#sets.in(uid), ...this.#sets.in(orphansOf(namespace))]
    const claims = planClaims(deployment, selector, candidates)
    await applyClaims(this.#parts, setResource, claims, controllerReference(deploymentKind, deployment.metadata))
    const view = viewRollout(deployment, planClaims(deployment, selector, this.#sets.in(uid)).owned)
    const nowMs = this.#parts.clock.nowMs()
    const now = { ms: nowMs, timestamp: timestamp(nowMs) }
    if (deployment.metadata.deletionTimestamp !== undefined) return await this.#tell(view, now, false)
    const conditions = withPause(deployment, now.timestamp)
    if (conditions !== (deployment.status?.conditions ?? [])) return await this.#tellConditions(view, conditions)
    if (deployment.spec?.paused === true || isScalingEvent(view)) {
      if (await this.#annotate(view, now)) return settled
      await this.#scale(view, planScaling(view))
      if (deployment.spec?.paused === true) await this.#cleanUp(view)
      return await this.#tell(view, now, false)
    }
    return await this.#rollOut(view, now)
  }

  async #rollOut(view: RolloutView, now: Now): Promise<Next> {
    const { deployment } = view
    const oldPodsRemain = isRecreate(deployment) && this.#hasOldPods(view)
    const mayCreate = !isRecreate(deployment) || (!oldPodsRemain && view.oldSets.every((set) => replicasOf(set) === 0))
    if (view.newSet === undefined && mayCreate) return await this.#createSet(view, now)
    if (await this.#annotate(view, now)) return settled
    const scales = isRecreate(deployment) ? planRecreate(view, oldPodsRemain) : planRollingUpdate(view)
    await this.#scale(view, scales)
    const status = buildDeploymentStatus(view, now, { judgesProgress: true })
    if (scales.length === 0 && isComplete(deployment, status)) await this.#cleanUp(view)
    return await this.#tell(view, now, true)
  }

  #hasOldPods({ oldSets }: RolloutView): boolean {
    return oldSets.some(({ metadata }) => this.#pods.in(metadata.uid).some((pod) => !isFinished(pod)))
  }

  async #createSet(view: RolloutView, now: Now): Promise<Next> {
    const { deployment } = view
    const set = buildReplicaSet(view)
    const { name } = set.metadata
    try {
      await this.#parts.api.create(setResource, set)
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      if (error.reason !== 'AlreadyExists') return await this.#creationFailed(view, name, error, now)
      // Another template has the same hash: the next try counts one further.
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
      await writeStatus(this.#parts, resource, deployment, { ...deployment.status, collisionCount })
      return settled
    }
    const replicas = replicasOf(set)
    if (replicas > 0) await this.#recordScaling(deployment, `Scaled up replica set ${name} from 0 to ${replicas}`)
    const message = `Created new replica set "${name}"`
    return await this.#tellProgress(view, { status: 'True', reason: 'NewReplicaSetCreated', message }, now)
  }

  async #creationFailed(view: RolloutView, name: string, error: ApiFailure, now: Now): Promise<Next> {
    const message = `Failed to create new replica set "${name}": ${error.message}`
    await this.#tellProgress(view, { status: 'False', reason: 'ReplicaSetCreateError', message }, now)
    return againAt(now.ms + 2_000)
  }

  /** Keeps revision and copied annotations of the newest set and of the Deployment in step. True: look again. */
  async #annotate(view: RolloutView, now: Now): Promise<boolean> {
    const { deployment, newSet } = view
    if (newSet === undefined) return false
    const wanted = annotationsFor(view, newSet)
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
    if (
      !isDeepStrictEqual(wanted, newSet.metadata.annotations) ||
      minReadySeconds !== (newSet.spec?.minReadySeconds ?? 0)
    ) {
      const metadata = { ...newSet.metadata, annotations: wanted }
      await writeObject(this.#parts, setResource, {
        ...newSet,
        metadata,
        spec: { ...newSet.spec, minReadySeconds },
      } as ReplicaSet)
      return true
    }
    if (revisionOf(deployment) !== revisionOf(newSet)) {
      const revision = { [annotations.revision]: String(revisionOf(newSet)) }
      const metadata = { ...deployment.metadata, annotations: { ...deployment.metadata.annotations, ...revision } }
      await writeObject(this.#parts, resource, { ...deployment, metadata })
      return true
    }
    const isKnown = findCondition(deployment.status?.conditions, 'Progressing') !== undefined
    if (isKnown || deadlineSecondsOf(deployment) === undefined) return false
    const message = `Found new replica set "${newSet.metadata.name}"`
    await this.#tellProgress(view, { status: 'True', reason: 'FoundNewReplicaSet', message }, now)
    return true
  }

  async #scale({ deployment }: RolloutView, scales: readonly Scale[]): Promise<void> {
    for (const { set, replicas } of scales) {
      const scaled = withScale(deployment, set, replicas)
      if (isDeepStrictEqual(scaled, set)) continue
      const written = await writeObject(this.#parts, setResource, scaled)
      const before = replicasOf(set)
      if (written === undefined || before === replicas) continue
      const direction = replicas > before ? 'up' : 'down'
      await this.#recordScaling(
        deployment,
        `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`,
      )
    }
  }

  async #cleanUp(view: RolloutView): Promise<void> {
    for (const { metadata } of expiredSets(view)) {
      const options = { preconditions: { uid: metadata.uid } }
      await ignoring(['NotFound', 'Conflict'], this.#parts.api.delete(setResource, nameOf(metadata), options))
    }
  }

  async #tell(view: RolloutView, now: Now, judgesProgress: boolean): Promise<Next> {
    const status = buildDeploymentStatus(view, now, { judgesProgress })
    await writeStatus(this.#parts, resource, view.deployment, status)
    const dueMs = judgesProgress ? progressDueMs(view.deployment, status) : undefined
    // Upstream, too, looks only after the deadline has passed.
    return againAt(dueMs === undefined ? undefined : dueMs + 1_000)
  }

  async #tellConditions({ deployment }: RolloutView, conditions: readonly WorkloadCondition[]): Promise<Next> {
    await writeStatus(this.#parts, resource, deployment, { ...deployment.status, conditions })
    return settled
  }

  async #tellProgress(
    view: RolloutView,
    change: { readonly status: string; readonly reason: string; readonly message: string },
    now: Now,
  ): Promise<Next> {
    if (deadlineSecondsOf(view.deployment) === undefined) return settled
    const conditions = view.deployment.status?.conditions ?? []
    return await this.#tellConditions(
      view,
      withWorkloadCondition(conditions, { type: 'Progressing', ...change }, now.timestamp),
    )
  }

  async #recordScaling(deployment: Deployment, message: string): Promise<void> {
    const about = { ...deploymentKind, metadata: deployment.metadata }
    await recordEvent(this.#parts, about, { type: 'Normal', reason: 'ScalingReplicaSet', message, component })
  }
}
