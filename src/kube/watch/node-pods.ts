import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { InformerPool, type Following, type InformerParts } from './informer-pool.ts'
import type { Change } from './object-cache.ts'
import { PodPacking } from './packed-pods.ts'
import { slimPod } from './slim-pod.ts'

/** Where pods are that no node has yet. */
export const unassigned = ''

/** With more nodes than these, one watch of all pods is cheaper than one for each node. */
const nodesMax = 200
/** And with a tenth of the cluster, if these are more than a few. */
const share = 0.1
const fewNodes = 5

export const nodeIndex = 'node'

/** The pods of the nodes that a caller follows, and of no other. */
export class NodePods {
  readonly #pool: InformerPool<Pod>

  /**
   * `all` follows the pods of the whole cluster, with the index `node`; it is asked where many nodes are followed.
   * `clusterSize` is the number of nodes as far as it is known.
   */
  constructor(
    parts: InformerParts,
    all?: InformerPool<Pod>,
    clusterSize: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    const above = () => Math.min(nodesMax, Math.max(fewNodes, clusterSize() * share))
    const selectionOf = (node: string) => ({ fieldSelector: `spec.nodeName=${node}` })
    this.#pool = new InformerPool({
      ...parts,
      resource: pods,
      selectionOf,
      project: slimPod,
      packing: new PodPacking(),
      ...(all === undefined ? {} : { whole: { pool: all, index: nodeIndex, keyOf: nodeOf, above } }),
    })
  }

  get size(): number {
    return this.#pool.size
  }

  follow(node: string): Following {
    return this.#pool.follow(node)
  }

  get(node: string, key: { readonly namespace: string; readonly name: string }): Pod | undefined {
    return this.#pool.get(node)?.get(key)
  }

  /** On whichever followed node. */
  find(ref: { readonly namespace: string; readonly name: string; readonly uid: string }): string | undefined {
    const found = this.#pool.find(ref)
    return found?.object.metadata.uid === ref.uid ? found.key : undefined
  }

  /** The pod, if its node is followed. */
  peek(ref: { readonly namespace: string; readonly name: string; readonly uid: string }): Pod | undefined {
    const pod = this.#pool.find(ref)?.object
    return pod?.metadata.uid === ref.uid ? pod : undefined
  }

  silentForMs(): number {
    return this.#pool.silentForMs()
  }

  list(node: string): Pod[] {
    return this.#pool.get(node)?.list() ?? []
  }

  /** A pod that leaves the unassigned ones is told as deleted from there, though it only got a node. */
  subscribe(handler: (change: Change<Pod>, node: string) => void): Disposable {
    return this.#pool.subscribe(handler)
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]()
  }
}

export function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? unassigned
}
