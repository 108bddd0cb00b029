import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { heldLabel, intendedNodeOf, releasingPatch } from '../../api/maintenance-hold.ts'
import { keyOf } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'
import { Informer } from '../../kube/informer.ts'
import { InformerPool, type Following, type InformerParts } from '../../kube/informer-pool.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { Controller } from '../../runtime/controller.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { WorkQueue, type Next, type QueueMetrics } from '../../runtime/work-queue.ts'
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
    using followed = new FollowedNodes(this.#options)
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

  async #reconcile(key: string, followed: FollowedNodes, signal: AbortSignal): Promise<Next> {
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

/** The nodes that somebody waits for, each as long as somebody does. */
class FollowedNodes implements Disposable {
  readonly #pool: InformerPool<Node>
  readonly #held = new Map<string, { readonly node: string; readonly following: Following }>()

  constructor(parts: InformerParts) {
    this.#pool = new InformerPool({
      ...parts,
      resource: nodes,
      selectionOf: (name) => ({ fieldSelector: `metadata.name=${name}` }),
    })
  }

  subscribe(handler: (node: string) => void): Disposable {
    return this.#pool.subscribe((_change, node) => handler(node))
  }

  /** Undefined: there is no such node. */
  async get(holder: string, node: string, signal: AbortSignal): Promise<DeepReadonly<Node> | undefined> {
    const following = this.#followingOf(holder, node)
    await unlessAborted(following.synced, signal)
    return this.#pool.get(node)?.get({ name: node })
  }

  forget(holder: string): void {
    this.#held.get(holder)?.following[Symbol.dispose]()
    this.#held.delete(holder)
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]()
  }

  #followingOf(holder: string, node: string): Following {
    const known = this.#held.get(holder)
    if (known?.node === node) return known.following
    const following = this.#pool.follow(node)
    this.forget(holder)
    this.#held.set(holder, { node, following })
    return following
  }
}

function keyText({ metadata }: DeepReadonly<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`
}
