import type { NodeView } from '../view.ts'

/**
 * Nodes to be searched again and again. A search begins where the last one ended: that node had room, mostly, while
 * the first nodes of a busy cluster may all be full.
 */
export class NodeRing {
  readonly #nodes: readonly NodeView[]
  #last = 0

  constructor(nodes: readonly NodeView[]) {
    this.#nodes = nodes
  }

  /** Every node once. */
  *turn(): Generator<NodeView, void, undefined> {
    const first = this.#last
    for (const step of this.#nodes.keys()) {
      this.#last = (first + step) % this.#nodes.length
      const node = this.#nodes[this.#last]
      if (node !== undefined) yield node
    }
  }
}
