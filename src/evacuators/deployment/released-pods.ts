import { objectsOf, changesOf } from '../../kube/watch/wakes.ts'
import { runControlLoop } from '../../runtime/control-loop.ts'
import { evacuationKeyOf } from '../../evacuation-client/evacuation-key.ts'
import { idOfObject, keyOfId, idOf } from '../../api/kubernetes/object-id.ts'
import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { podRefOf, podRefOfEvacuation } from '../../api/evacuation/pod-reference.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { isUpdate } from '../../kube/watch/watch-lines.ts'
import type { Controller } from '../../runtime/controller.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import type { WorkloadCaches } from '../workload/workload-caches.ts'
import { formerReplicaSetOf, puttingBack } from './put-back-pod.ts'

export interface ReleasedPodsOptions extends InformerParts {
  /** Follows all Evacuations; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  /** Shared with the evacuators, which leave a pod alone while its release is being undone. */
  readonly caches: Pick<WorkloadCaches, 'beginPuttingBack' | 'keep'>
  readonly queueMetrics: QueueMetrics
}

const concurrency = 10
/** An instigator that wants the pod gone asks again within this time; then its release need not be undone. */
const lonelyMs = 10_000
const afterConflictMs = 1_000
const settled: Next = { kind: 'settled' }

/** Which pods are released is all that counts until one is to be put back. */
const identityOf = ({ metadata: { namespace, name, uid, resourceVersion } }: Pod): Pod => ({
  metadata: { namespace, name, uid, resourceVersion },
})
const isWorthParsing = (line: Buffer) => !isUpdate(line)

/**
 * Undoes the release of pods whose Evacuation is gone: its finalizers were stripped, its definition was deleted, or
 * Lifeboat was down when it went. Follows the pods that bear the label of a release, and no others.
 */
export class ReleasedPods implements Controller {
  readonly name = 'deployment/released-pods'
  readonly #options: ReleasedPodsOptions
  readonly #pods: Informer<Pod>
  /** When a pod was first seen without an Evacuation. */
  readonly #lonelySinceMs = new Map<string, number>()

  constructor(options: ReleasedPodsOptions) {
    this.#options = options
    const selection = { labelSelector: labels.released }
    this.#pods = new Informer({ ...options, resource: pods, selection, project: identityOf, isWorthParsing })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#pods.run(signal)
  }

  async synced(): Promise<void> {
    await Promise.all([this.#pods.synced(), this.#options.evacuations.synced()])
  }

  lead(signal: AbortSignal): Promise<void> {
    const podsLeftAlone = changesOf(this.#options.evacuations, ({ kind, object }) => {
      const pod = podRefOfEvacuation(object)
      return kind === 'deleted' && this.#pods.get(pod) !== undefined ? [idOf(pod)] : []
    })
    const wakes = [objectsOf(this.#pods), podsLeftAlone]
    const reconcile: Reconcile = (key, stop) => this.#reconcile(key, stop)
    return runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const pod = this.#pods.get(keyOfId(key))
    if (pod === undefined || this.#seesEvacuation(pod)) {
      this.#lonelySinceMs.delete(key)
      return settled
    }
    const nowMs = this.#options.clock.nowMs()
    const sinceMs = this.#lonelySinceMs.get(key) ?? nowMs
    this.#lonelySinceMs.set(key, sinceMs)
    if (nowMs < sinceMs + lonelyMs) return { kind: 'again', atMs: sinceMs + lonelyMs }
    return await this.#putBack(pod, signal)
  }

  /** Also one that is being deleted: its evacuator puts the pod back, and its end wakes this controller. */
  #seesEvacuation(pod: Pod): boolean {
    return this.#options.evacuations.get(evacuationKeyOf(podRefOf(pod))) !== undefined
  }

  async #putBack(known: Pod, signal: AbortSignal): Promise<Next> {
    const { kube, caches, log } = this.#options
    const { namespace, uid } = known.metadata
    // From here on no evacuator decides about the pod, and one that has decided acts on an Evacuation that is found.
    using _begun = caches.beginPuttingBack(uid)
    const pod = await unlessNotFound(kube.get(pods, keyOf(known), { signal }))
    if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return settled
    const { resourceVersion } = pod.metadata
    const name = formerReplicaSetOf(pod)
    const replicaSet =
      name === undefined ? undefined : await unlessNotFound(kube.get(replicaSets, { namespace, name }, { signal }))
    const change = puttingBack(pod, replicaSet)
    // The cache may be late. Where the definition is gone, this answer is the only one.
    const found = await unlessNotFound(kube.get(evacuations, evacuationKeyOf(podRefOf(pod)), { signal }))
    if (change === undefined || found !== undefined) return settled
    const body = { metadata: { ...change, uid, resourceVersion } }
    try {
      await caches.keep(pods, keyOf(pod), () => kube.patch(pods, keyOf(pod), { type: 'merge', body }, { signal }))
      log.info({ pod: idOfObject(pod), replicaSet: name }, 'undid the release of a pod without an Evacuation')
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
      // It has changed or gone meanwhile.
      return { kind: 'again', atMs: this.#options.clock.nowMs() + afterConflictMs }
    }
    return settled
  }
}
