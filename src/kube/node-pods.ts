import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { pods } from '../api/kubernetes/resources.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Kube } from './client.ts'
import { Informer } from './informer.ts'
import type { KubeMetrics } from './metrics.ts'
import type { Change } from './object-cache.ts'

export interface NodePodsOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: KubeMetrics
}

/** Where pods are that no node has yet. */
export const unassigned = ''

type Followed = { readonly informer: Informer<Pod>; readonly stop: AbortController; holders: number }

/**
 * The pods of the nodes that somebody is interested in, and of no other: what it costs follows the nodes at work, not
 * the size of the cluster.
 */
export class NodePods {
  readonly #options: NodePodsOptions
  readonly #nodes = new Map<string, Followed>()
  readonly #handlers = new Set<(change: Change<Pod>, node: string) => void>()

  constructor(options: NodePodsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#nodes.size
  }

  /** Follows the node from now on, until everybody who asked for it has disposed of what this returns. */
  follow(node: string): Disposable & { readonly synced: Promise<void> } {
    const followed = this.#nodes.get(node) ?? this.#start(node)
    followed.holders++
    let held = true
    return {
      synced: followed.informer.synced(),
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        followed.holders--
        if (followed.holders > 0) return
        this.#nodes.delete(node)
        followed.stop.abort(new Error(`nobody asks for the pods of ${node} any more`))
      },
    }
  }

  get(node: string, key: { readonly namespace: string; readonly name: string }): DeepReadonly<Pod> | undefined {
    return this.#nodes.get(node)?.informer.get(key)
  }

  /** On whichever followed node. */
  find(ref: { readonly namespace: string; readonly name: string; readonly uid: string }): string | undefined {
    for (const [node, { informer }] of this.#nodes) {
      if (informer.get(ref)?.metadata.uid === ref.uid) return node
    }
    return undefined
  }

  list(node: string): DeepReadonly<Pod>[] {
    return this.#nodes.get(node)?.informer.list() ?? []
  }

  /** A pod that leaves the unassigned ones is told as deleted from there, though it only got a node. */
  subscribe(handler: (change: Change<Pod>, node: string) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#nodes.values()) stop.abort(new Error('no pods are followed any more'))
    this.#nodes.clear()
  }

  #start(node: string): Followed {
    const selection = { fieldSelector: `spec.nodeName=${node}` }
    const informer = new Informer({ ...this.#options, resource: pods, selection })
    const followed = { informer, stop: new AbortController(), holders: 0 }
    this.#nodes.set(node, followed)
    informer.subscribe((change) => {
      for (const handler of this.#handlers) handler(change, node)
    })
    void informer.run(followed.stop.signal)
    return followed
  }
}
