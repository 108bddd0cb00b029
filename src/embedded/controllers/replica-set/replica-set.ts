import type { Next } from '../../../runtime/work-queue.ts'
import type { ApiFailure } from '../../server/failure.ts'
import { timestamp } from '../../server/identity.ts'
import type { Stored } from '../../server/store.ts'
import { buildPod } from '../build-pod.ts'
import { againAt, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { Pod, ReplicaSet } from '../objects.ts'
import { getObject } from '../typed-store.ts'
import { writeStatus } from '../outcome.ts'
import {
  applyClaims,
  controllerOf,
  controllerReference,
  orphansOf,
  ownerGroup,
  ownerReferencesOf,
  planClaims,
  ownersConcerned,
} from '../ownership.ts'
import { isActive, isFinished, isTerminating } from '../pod-status.ts'
import { createPods, deletePods, ownerOf, refusedRetryMs } from '../pod-writes.ts'
import { buildReplicaSetStatus } from './build-status.ts'
import { chooseVictims } from './rank-victims.ts'

const resource = 'replicasets.apps'
const kind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' }

export function startReplicaSetController(parts: ControllerParts): AsyncDisposable {
  const controller = new ReplicaSetController(parts)
  const loop = startControlLoop({
    name: 'replica-set',
    parts,
    reconcile: async (key) => await controller.reconcile(key),
    wakes: {
      [resource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)),
      pods: (object, previous) => controller.ownersOf(object, previous),
    },
  })
  return ending(loop, controller)
}

class ReplicaSetController implements Disposable {
  readonly #parts: ControllerParts
  readonly #pods: ObjectGroups<'pods'>
  readonly #sets: ObjectGroups<'replicasets.apps'>

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#pods = new ObjectGroups(parts.store, 'pods', {
      by: ownerReferencesOf,
      groupsOf: ({ metadata }) => [ownerGroup(metadata)],
    })
    this.#sets = new ObjectGroups(parts.store, resource, {
      by: ownerReferencesOf,
      groupsOf: ({ metadata }) => [
        `in ${metadata.namespace}`,
        ...(controllerOf(metadata) === undefined ? [] : [ownerGroup(metadata)]),
      ],
    })
  }

  [Symbol.dispose](): void {
    this.#pods[Symbol.dispose]()
    this.#sets[Symbol.dispose]()
  }

  ownersOf(object: Stored, previous: Stored | undefined): string[] {
    return ownersConcerned(kind.kind, object, previous, (namespace) => this.#sets.in(`in ${namespace}`))
  }

  async reconcile(key: string): Promise<Next> {
    const { store, clock } = this.#parts
    const set = getObject(store, resource, key)
    if (set?.spec?.selector === undefined) return settled
    const candidates = [...this.#pods.in(set.metadata.uid), ...this.#pods.in(orphansOf(set.metadata.namespace))]
    const claims = planClaims(set, set.spec.selector, candidates.filter(isActive))
    await applyClaims(this.#parts, 'pods', claims, controllerReference(kind, set.metadata))
    // Again, because a claim can fail and a pod can go meanwhile.
    const active = planClaims(set, set.spec.selector, this.#pods.in(set.metadata.uid).filter(isActive)).owned
    const nowMs = clock.nowMs()
    const failure = set.metadata.deletionTimestamp === undefined ? await this.#manage(set, active, nowMs) : undefined
    const terminating = this.#pods.in(set.metadata.uid).filter((pod) => isTerminating(pod) && !isFinished(pod)).length
    const { status, nextAvailableAtMs } = buildReplicaSetStatus(
      set,
      { active, terminating, failure: failure?.message },
      { ms: nowMs, timestamp: timestamp(nowMs) },
    )
    await writeStatus(this.#parts, resource, set, status)
    return againAt(nextAvailableAtMs, failure === undefined ? undefined : nowMs + refusedRetryMs)
  }

  async #manage(set: ReplicaSet, active: readonly Pod[], nowMs: number): Promise<ApiFailure | undefined> {
    const missing = (set.spec?.replicas ?? 1) - active.length
    if (missing < 0) {
      const victims = chooseVictims(active, this.#relatedTo(set, active), -missing, nowMs)
      await deletePods(this.#parts, victims)
      return undefined
    }
    const { namespace, name } = set.metadata
    const owner = controllerReference(kind, set.metadata)
    const options = { namespace, namePrefix: name, owner }
    const pods = Array.from({ length: missing }, () => buildPod(set.spec?.template ?? {}, options))
    return await createPods(this.#parts, ownerOf(owner, set.metadata, 'replicaset-controller'), pods)
  }

  /** The pods of all ReplicaSets of the same Deployment: two of them on one node are one too many. */
  #relatedTo(set: ReplicaSet, active: readonly Pod[]): readonly Pod[] {
    const controller = controllerOf(set.metadata)
    if (controller === undefined) return active
    return this.#sets.in(controller.uid).flatMap(({ metadata }) => this.#pods.in(metadata.uid))
  }
}
