import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { heldLabel, intendedNodeOf, releasingPatch } from '../../api/maintenance/maintenance-hold.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import type { Controller } from '../../runtime/controller.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { WorkQueue, type Next, type QueueMetrics } from '../../runtime/work-queue.ts'
import { NodesWaitedFor } from '../../kube/watch/nodes-waited-for.ts'
import { decideHold } from './decide-hold.ts'

export interface HeldPodsOptions extends InformerParts {
  readonly queueMetrics: QueueMetrics
}

const byNode = 'node'
const concurrency = 20
const settled: Next = { kind: 'settled' }

/** Lets DaemonSet pods back onto their nodes: follows those that are held, the nodes that they are held for, no others. */
export class HeldPods implements Controller {
  readonly name = 'daemon-set/held-pods'
  readonly #options: HeldPodsOptions
  readonly #pods: Informer<Pod>

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
    const { clock, random, log, queueMetrics } = this.#options
    using followed = new NodesWaitedFor(this.#options)
    const queue = new WorkQueue({
      name: this.name,
      clock,
      random,
      log,
      concurrency,
      metrics: queueMetrics,
      reconcile: (key, stop) => this.#reconcile(key, followed, stop),
    })
    using _pods = this.#pods.subscribe(({ object }) => queue.add(keyText(object)))
    using _nodes = followed.subscribe((node) => {
      for (const pod of this.#pods.byIndex(byNode, node)) queue.add(keyText(pod))
    })
    for (const pod of this.#pods.list()) queue.add(keyText(pod))
    queue.start(signal)
    await untilAborted(signal)
    await queue.stop()
  }

  async #reconcile(key: string, followed: NodesWaitedFor, signal: AbortSignal): Promise<Next> {
    const [namespace = '', name = ''] = key.split('/')
    const pod = this.#pods.get({ namespace, name })
    if (pod === undefined) {
      followed.forget(key)
      return settled
    }
    const node = intendedNodeOf(pod)
    const found = node === undefined ? undefined : await followed.get(key, node, signal)
    if (decideHold(pod, found) === 'release') await this.#release(pod, signal)
    return settled
  }

  async #release(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void> {
    const { kube, log } = this.#options
    try {
      await kube.patch(pods, keyOf(pod), { type: 'merge', body: releasingPatch(pod) }, { signal })
      log.info({ pod: keyText(pod), node: intendedNodeOf(pod) }, 'a DaemonSet pod may go back to its node')
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
    }
  }
}

function keyText({ metadata }: DeepReadonly<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`
}
