import { objectsOf, nodesOf } from '../../kube/watch/wakes.ts'
import { runControlLoop } from '../../runtime/control-loop.ts'
import { idOfObject, keyOfId } from '../../api/kubernetes/object-id.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { heldLabel, intendedNodeOf, isHeld, releasingPatch } from '../../api/maintenance/maintenance-hold.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { sleep } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import { NodesWaitedFor } from '../../kube/watch/nodes-waited-for.ts'
import { decideHold } from './decide-hold.ts'

export interface HeldPodsOptions extends InformerParts {
  readonly queueMetrics: QueueMetrics
}

const byNode = 'node'
const concurrency = 20
const labelAgainMs = 15_000
const settled: Next = { kind: 'settled' }

/**
 * Lets DaemonSet pods back onto their nodes: follows those that are held, the nodes that they are held for, no others. It
 * finds them by a label. What holds a pod is the gate, so a pod that loses the label alone gets it back.
 */
export class HeldPods implements Controller {
  readonly name = 'daemon-set/held-pods'
  readonly #options: HeldPodsOptions
  readonly #pods: Informer<Pod>
  /** By its own hand: these leave the watch, and nothing is to be looked at. */
  readonly #released = new Set<string>()

  constructor(options: HeldPodsOptions) {
    this.#options = options
    this.#pods = new Informer({
      ...options,
      resource: pods,
      selection: { labelSelector: heldLabel.key },
      indexes: { [byNode]: (pod) => [intendedNodeOf(pod) ?? ''] },
    })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#pods.run(signal)
  }

  synced(): Promise<void> {
    return this.#pods.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    using followed = new NodesWaitedFor(this.#options)
    const wakes = [objectsOf(this.#pods), nodesOf(followed, (node) => this.#pods.byIndex(byNode, node).map(idOfObject))]
    const reconcile: Reconcile = (key, stop) => this.#reconcile(key, followed, stop)
    await Promise.all([
      this.#labelAll(signal),
      runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal),
    ])
  }

  async #reconcile(key: string, followed: NodesWaitedFor, signal: AbortSignal): Promise<Next> {
    const pod = this.#pods.get(keyOfId(key))
    if (pod === undefined) {
      followed.forget(key)
      if (!this.#released.delete(key)) await this.#labelAgain(key, signal)
      return settled
    }
    const node = intendedNodeOf(pod)
    const found = node === undefined ? undefined : await followed.get(key, node, signal)
    if (decideHold(pod, found) === 'release') await this.#release(pod, signal)
    return settled
  }

  async #release(pod: Pod, signal: AbortSignal): Promise<void> {
    const { kube, log } = this.#options
    try {
      await kube.patch(pods, keyOf(pod), { type: 'merge', body: releasingPatch(pod) }, { signal })
      this.#released.add(idOfObject(pod))
      log.info({ pod: idOfObject(pod), node: intendedNodeOf(pod) }, 'a DaemonSet pod may go back to its node')
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
    }
  }

  /** It left the watch: it was deleted, let go by another client, or lost its label. */
  async #labelAgain(key: string, signal: AbortSignal): Promise<void> {
    const pod = await unlessNotFound(this.#options.kube.get(pods, keyOfId(key), { signal }))
    if (pod !== undefined) await this.#label(pod, signal)
  }

  /**
   * Labels may have been taken off while no replica led. A pod with a gate has no node, so few are read; and none where
   * no node is under maintenance, as in a cluster that is idle.
   */
  async #labelAll(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    while (!signal.aborted) {
      try {
        return await this.#labelThose(signal)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error }, 'cannot look for held pods without their label, trying again')
        await sleep(clock, labelAgainMs, signal).catch(() => {})
      }
    }
  }

  async #labelThose(signal: AbortSignal): Promise<void> {
    const { kube } = this.#options
    const marked = await kube.list(nodes, { labelSelector: labels.underMaintenance, signal })
    if (marked.items.length === 0) return
    const { items } = await kube.list(pods, { fieldSelector: 'spec.nodeName=', signal })
    for (const pod of items) await this.#label(pod, signal)
  }

  async #label(pod: Pod, signal: AbortSignal): Promise<void> {
    if (!isHeld(pod) || pod.metadata.labels?.[heldLabel.key] !== undefined) return
    const body = { metadata: { uid: pod.metadata.uid, labels: { [heldLabel.key]: heldLabel.value } } }
    try {
      await this.#options.kube.patch(pods, keyOf(pod), { type: 'merge', body }, { signal })
    } catch (error) {
      // Gone, or another pod has its name.
      if (!isKubeError(error, 'notFound', 'conflict', 'invalid')) throw error
    }
  }
}
