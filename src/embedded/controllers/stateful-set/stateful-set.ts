import type { Next } from '../../../runtime/work-queue.ts'
import type { ApiFailure } from '../../server/failure.ts'
import type { Stored } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { StatefulSet } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { writeStatus } from '../outcome.ts'
import {
  applyClaims,
  controllerOf,
  controllerReference,
  orphansOf,
  ownerGroupsOf,
  ownerReferencesOf,
  planClaims,
  ownersConcerned,
} from '../ownership.ts'
import { availableAtMs } from '../pod-status.ts'
import { createPods, deletePods, ownerOf, refusedRetryMs } from '../pod-writes.ts'
import { revisionName, revisionsOf, syncRevision, templateOfRevision } from '../revisions.ts'
import { buildStatefulStatus, planStatefulSet, type StatefulStep, type StatefulView } from './plan-stateful-set.ts'
import { buildStatefulPod, ordinalOf, statefulSetKind, type Revision } from './stateful-pod.ts'

const resource = 'statefulsets.apps'

export function startStatefulSetController(parts: ControllerParts): AsyncDisposable {
  const controller = new StatefulSetController(parts)
  const loop = startControlLoop({
    name: 'stateful-set',
    parts,
    reconcile: async (key) => await controller.reconcile(key),
    wakes: {
      [resource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)),
      pods: (object, previous) => controller.ownersOf(object, previous),
    },
  })
  return ending(loop, controller)
}

class StatefulSetController implements Disposable {
  readonly #parts: ControllerParts
  readonly #pods: ObjectGroups<'pods'>

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#pods = new ObjectGroups(parts.store, 'pods', {
      by: ownerReferencesOf,
      groupsOf: ownerGroupsOf(statefulSetKind.kind),
    })
  }

  [Symbol.dispose](): void {
    this.#pods[Symbol.dispose]()
  }

  ownersOf(object: Stored, previous: Stored | undefined): string[] {
    return ownersConcerned(statefulSetKind.kind, object, previous, (namespace) =>
      listObjects(this.#parts.store, resource, namespace),
    )
  }

  async reconcile(key: string): Promise<Next> {
    const { store, clock } = this.#parts
    const set = getObject(store, resource, key)
    if (set?.spec?.selector === undefined || set.metadata.deletionTimestamp !== undefined) return settled
    const { uid, namespace } = set.metadata
    // Only pods with a name of the set's can be its own.
    const named = [...this.#pods.in(uid), ...this.#pods.in(orphansOf(namespace))].filter(
      (pod) => controllerOf(pod.metadata) !== undefined || ordinalOf(set, pod) !== undefined,
    )
    const claims = planClaims(set, set.spec.selector, named)
    await applyClaims(this.#parts, 'pods', claims, controllerReference(statefulSetKind, set.metadata))
    await syncRevision(this.#parts, statefulSetKind, set)
    const failure = await this.#carryOut(set, planStatefulSet(this.#view(set), clock.nowMs()))
    const nowMs = clock.nowMs()
    const view = this.#view(set)
    await writeStatus(this.#parts, resource, set, buildStatefulStatus(view, nowMs))
    const minReadySeconds = set.spec.minReadySeconds ?? 0
    const later = view.pods.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => (atMs ?? 0) > nowMs)
    return againAt(...later, failure === undefined ? undefined : nowMs + refusedRetryMs)
  }

  #view(set: StatefulSet): StatefulView {
    const pods = planClaims(set, set.spec?.selector ?? {}, this.#pods.in(set.metadata.uid)).owned
    const updateRevision = revisionName(set)
    const { currentRevision = '' } = set.status ?? {}
    return { set, pods, updateRevision, currentRevision: currentRevision === '' ? updateRevision : currentRevision }
  }

  async #carryOut(set: StatefulSet, steps: readonly StatefulStep[]): Promise<ApiFailure | undefined> {
    const reference = controllerReference(statefulSetKind, set.metadata)
    const creations = steps.filter((step) => step.kind === 'create')
    const pods = creations.map(({ ordinal, revision }) => buildStatefulPod(set, ordinal, this.#revision(set, revision)))
    const failure = await createPods(this.#parts, ownerOf(reference, set.metadata, 'statefulset-controller'), pods)
    const deletions = steps.filter((step) => step.kind === 'delete')
    await deletePods(
      this.#parts,
      deletions.map(({ pod }) => pod),
    )
    return failure
  }

  /** The template of then, if it is still known. */
  #revision(set: StatefulSet, which: 'current' | 'update'): Revision {
    const present = { name: revisionName(set), template: set.spec?.template ?? {} }
    const name = set.status?.currentRevision
    if (which === 'update' || name === undefined) return present
    const known = revisionsOf(this.#parts, set).find(({ metadata }) => metadata.name === name)
    const template = templateOfRevision(known)
    return template === undefined ? present : { name, template }
  }
}
