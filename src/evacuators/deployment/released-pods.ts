import { evacuationKey } from '../../api/evacuation-name.ts'
import { evacuations, type Evacuation } from '../../api/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { podRefOfEvacuation } from '../../api/pod-reference.ts'
import { keyOf } from '../../kube/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/errors.ts'
import { Informer } from '../../kube/informer.ts'
import type { InformerParts } from '../../kube/informer-pool.ts'
import type { Controller } from '../../runtime/controller.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { WorkQueue, type Next, type QueueMetrics } from '../../runtime/work-queue.ts'
import { formerReplicaSetOf, puttingBack } from './put-back-pod.ts'

export interface ReleasedPodsOptions extends InformerParts {
  /** Of somebody who follows all Evacuations already, and runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly queueMetrics: QueueMetrics
}

const concurrency = 10
/** The cache is behind what the API server answered; its next event brings the key back earlier. */
const behindMs = 1_000
const settled: Next = { kind: 'settled' }

/**
 * Undoes the release of pods whose Evacuation is gone: its finalizers were stripped, its definition was deleted, or
 * Lifeboat was down when it went. Follows the pods that bear the label of a release, and no others.
 */
export class ReleasedPods implements Controller {
  readonly name = 'deployment/released-pods'
  readonly #options: ReleasedPodsOptions
  readonly #pods: Informer<Pod>

  constructor(options: ReleasedPodsOptions) {
    this.#options = options
    this.#pods = new Informer({ ...options, resource: pods, selection: { labelSelector: labels.released } })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#pods.run(signal)
  }

  async synced(): Promise<void> {
    await Promise.all([this.#pods.synced(), this.#options.evacuations.synced()])
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { clock, random, log, queueMetrics } = this.#options
    const queue = new WorkQueue({
      name: this.name,
      clock,
      random,
      log,
      concurrency,
      metrics: queueMetrics,
      reconcile: (key, stop) => this.#reconcile(key, stop),
    })
    using _pods = this.#pods.subscribe(({ object }) => queue.add(keyText(object)))
    using _evacuations = this.#options.evacuations.subscribe(({ kind, object }) => {
      if (kind !== 'deleted') return
      const { namespace, name } = podRefOfEvacuation(object)
      if (this.#pods.get({ namespace, name }) !== undefined) queue.add(`${namespace}/${name}`)
    })
    for (const pod of this.#pods.list()) queue.add(keyText(pod))
    queue.start(signal)
    await untilAborted(signal)
    await queue.stop()
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const [namespace = '', name = ''] = key.split('/')
    const pod = this.#pods.get({ namespace, name })
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return settled
    if (await this.#hasEvacuation(pod, signal)) return settled
    return this.#putBack(pod, signal)
  }

  /** Also one that is being deleted: its evacuator puts the pod back, and its end wakes this controller. */
  async #hasEvacuation(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<boolean> {
    const [namespace = '', name = ''] = evacuationKey(pod).split('/')
    if (this.#options.evacuations.get({ namespace, name }) !== undefined) return true
    // The cache may be late, or the definition may be gone and with it every answer but this one.
    const found = await unlessNotFound(this.#options.kube.get(evacuations, { namespace, name }, { signal }))
    return found !== undefined
  }

  async #putBack(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<Next> {
    const { kube, clock, log } = this.#options
    const { namespace = '', uid, resourceVersion } = pod.metadata
    const name = formerReplicaSetOf(pod)
    const replicaSet =
      name === undefined ? undefined : await unlessNotFound(kube.get(replicaSets, { namespace, name }, { signal }))
    const change = puttingBack(pod, replicaSet)
    if (change === undefined) return settled
    const body = { metadata: { ...change, uid, resourceVersion } }
    try {
      await kube.patch(pods, keyOf(pod), { type: 'merge', body }, { signal })
      log.info({ pod: keyText(pod), replicaSet: name }, 'undid the release of a pod without an Evacuation')
      return settled
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
      return { kind: 'again', atMs: clock.nowMs() + behindMs }
    }
  }
}

function keyText({ metadata }: DeepReadonly<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`
}
