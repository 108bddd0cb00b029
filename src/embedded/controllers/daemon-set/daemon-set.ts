import { isDeepStrictEqual } from 'node:util'
import type { Next } from '../../../runtime/work-queue.ts'
import { type Stored, readAs } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { DaemonSet, Node } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { writeStatus } from '../outcome.ts'
import {
  applyClaims,
  controllerReference,
  orphansOf,
  ownerGroupsOf,
  ownerReferencesOf,
  planClaims,
  ownersConcerned,
} from '../ownership.ts'
import { availableAtMs } from '../pod-status.ts'
import { createPods, deletePods, ownerOf, refusedRetryMs } from '../pod-writes.ts'
import { hashOf, syncRevision } from '../revisions.ts'
import { buildDaemonPod, daemonSetKind } from './daemon-pod.ts'
import { buildDaemonStatus, planDaemons, planRollingUpdate, type DaemonPlan, type DaemonView } from './plan-daemons.ts'

const resource = 'daemonsets.apps'

export function startDaemonSetController(parts: ControllerParts): AsyncDisposable {
  const controller = new DaemonSetController(parts)
  const loop = startControlLoop({
    name: 'daemon-set',
    parts,
    reconcile: async (key) => await controller.reconcile(key),
    wakes: {
      [resource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)),
      pods: (object, previous) => controller.ownersOf(object, previous),
      nodes: (object, previous, type) => (type === 'MODIFIED' && !hasMoved(object, previous) ? [] : controller.all()),
    },
  })
  return ending(loop, controller)
}

/** Heartbeats and cordons change nothing about where daemons belong. */
function hasMoved(object: Stored, previous: Stored | undefined): boolean {
  const relevant = (node: Node) => ({ labels: node.metadata.labels, taints: node.spec?.taints })
  return !isDeepStrictEqual(relevant(object), relevant(readAs<Node>(previous)))
}

class DaemonSetController implements Disposable {
  readonly #parts: ControllerParts
  readonly #pods: ObjectGroups<'pods'>

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#pods = new ObjectGroups(parts.store, 'pods', {
      by: ownerReferencesOf,
      groupsOf: ownerGroupsOf(daemonSetKind.kind),
    })
  }

  [Symbol.dispose](): void {
    this.#pods[Symbol.dispose]()
  }

  all(): string[] {
    return listObjects(this.#parts.store, resource).flatMap((set) => ownKey(set))
  }

  ownersOf(object: Stored, previous: Stored | undefined): string[] {
    return ownersConcerned(daemonSetKind.kind, object, previous, (namespace) =>
      listObjects(this.#parts.store, resource, namespace),
    )
  }

  async reconcile(key: string): Promise<Next> {
    const { store, clock } = this.#parts
    const daemonSet = getObject(store, resource, key)
    if (daemonSet?.spec?.selector === undefined || daemonSet.metadata.deletionTimestamp !== undefined) return settled
    const { uid, namespace } = daemonSet.metadata
    const candidates = [...this.#pods.in(uid), ...this.#pods.in(orphansOf(namespace))]
    const claims = planClaims(daemonSet, daemonSet.spec.selector, candidates)
    await applyClaims(this.#parts, 'pods', claims, controllerReference(daemonSetKind, daemonSet.metadata))
    await syncRevision(this.#parts, daemonSetKind, daemonSet)
    const plan = planDaemons(this.#view(daemonSet), clock.nowMs())
    const owner = ownerOf(
      controllerReference(daemonSetKind, daemonSet.metadata),
      daemonSet.metadata,
      'daemonset-controller',
    )
    const carryOut = async ({ createOn, remove }: DaemonPlan) => {
      const pods = createOn.map((nodeName) => buildDaemonPod(daemonSet, nodeName, hashOf(daemonSet)))
      const refusal = await createPods(this.#parts, owner, pods)
      await deletePods(this.#parts, remove)
      return refusal
    }
    const failedFirst = await carryOut(plan)
    // With what the first step left behind, or two pods could go at once.
    const failed = (await carryOut(planRollingUpdate(this.#view(daemonSet), clock.nowMs()))) ?? failedFirst
    const nowMs = clock.nowMs()
    const view = this.#view(daemonSet)
    await writeStatus(this.#parts, resource, daemonSet, buildDaemonStatus(view, nowMs))
    return againAt(...this.#laterAvailable(view, nowMs), failed === undefined ? undefined : nowMs + refusedRetryMs)
  }

  #view(daemonSet: DaemonSet): DaemonView {
    const nodes = listObjects(this.#parts.store, 'nodes')
    const selector = daemonSet.spec?.selector ?? {}
    const pods = planClaims(daemonSet, selector, this.#pods.in(daemonSet.metadata.uid)).owned
    return { daemonSet, nodes, pods, hash: hashOf(daemonSet) }
  }

  #laterAvailable({ daemonSet, pods }: DaemonView, nowMs: number): (number | undefined)[] {
    const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0
    if (minReadySeconds === 0) return []
    return pods.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => atMs !== undefined && atMs > nowMs)
  }
}
