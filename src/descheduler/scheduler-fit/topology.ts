import { labelOf } from '../../api/kubernetes/label-selector.ts'
import type { NodeView } from '../view.ts'

/** Stands for a node that is not known, and for a domain where a node has no such label. */
export const nowhere = -1

/** The nodes that have the same value of a label are one domain. */
export interface Domains {
  /** The domain of each node, by position. */
  readonly ofNodes: Int32Array
  /** How many nodes each domain has. */
  readonly sizes: readonly number[]
}

/** All nodes of the cluster by position, and the domains that they form. */
export class Topology {
  readonly nodes: readonly NodeView[]
  readonly #positions: ReadonlyMap<string, number>
  readonly #domains = new Map<string, Domains>()

  constructor(nodes: readonly NodeView[]) {
    this.nodes = nodes
    this.#positions = new Map(nodes.map(({ name }, position) => [name, position]))
  }

  positionOf(node: string): number {
    return this.#positions.get(node) ?? nowhere
  }

  domainsBy(key: string): Domains {
    const known = this.#domains.get(key)
    if (known !== undefined) return known
    const ofNodes = new Int32Array(this.nodes.length).fill(nowhere)
    const sizes: number[] = []
    const byValue = new Map<string, number>()
    for (const [position, { labels }] of this.nodes.entries()) {
      const value = labelOf(labels, key)
      if (value === undefined) continue
      const domain = byValue.get(value) ?? sizes.length
      byValue.set(value, domain)
      sizes[domain] = (sizes[domain] ?? 0) + 1
      ofNodes[position] = domain
    }
    const domains = { ofNodes, sizes }
    this.#domains.set(key, domains)
    return domains
  }
}
