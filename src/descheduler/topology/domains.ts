import { labelOf } from '../../api/kubernetes/label-selector.ts'
import type { NodeView, PodView } from '../view.ts'
import type { DomainSizes } from './balance.ts'
import { isCounted, type SpreadConstraint } from './constraint.ts'
import { NodeRing } from './node-ring.ts'

/** The nodes that count for a constraint, and the domain that each is in. */
export interface Layout {
  readonly nodes: NodeRing
  readonly topologyKey: string
  readonly domains: ReadonlySet<string>
}

/** Many constraints look at the same nodes in the same way. */
export class Layouts {
  readonly #nodes: readonly NodeView[]
  readonly #known = new Map<string, Layout>()

  constructor(nodes: readonly NodeView[]) {
    this.#nodes = nodes
  }

  for({ topologyKey, nodes: demands }: SpreadConstraint): Layout {
    const key = `${topologyKey} ${demands.identity}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const nodes: NodeView[] = []
    const domains = new Set<string>()
    for (const node of this.#nodes) {
      const domain = labelOf(node.labels, topologyKey)
      if (domain === undefined || !isCounted(node, demands)) continue
      nodes.push(node)
      domains.add(domain)
    }
    const layout = { nodes: new NodeRing(nodes), topologyKey, domains }
    this.#known.set(key, layout)
    return layout
  }
}

/** The pods that a constraint counts, by domain. */
export interface Occupation {
  /** Domains with pods: the smallest first, equal ones by name. */
  readonly domains: readonly Domain[]
  /** Of these, and of those without pods. */
  readonly sizes: DomainSizes
  readonly sizeOf: (domain: string) => number
}

export interface Domain {
  readonly name: string
  readonly pods: readonly PodView[]
}

/** A pod on a node that does not count still counts itself, and even makes a domain of its own. */
export function occupationOf(
  { topologyKey, domains }: Layout,
  pods: readonly PodView[],
  nodesByName: ReadonlyMap<string, NodeView>,
): Occupation {
  const byDomain = new Map<string, PodView[]>()
  let emptyCount = domains.size
  for (const pod of pods) {
    const node = nodesByName.get(pod.nodeName)
    const name = node === undefined ? undefined : labelOf(node.labels, topologyKey)
    if (name === undefined) continue
    const inDomain = byDomain.get(name)
    if (inDomain !== undefined) inDomain.push(pod)
    else {
      byDomain.set(name, [pod])
      if (domains.has(name)) emptyCount -= 1
    }
  }
  const occupied = [...byDomain].map(([name, inDomain]) => ({ name, pods: inDomain })).toSorted(bySizeThenName)
  return {
    domains: occupied,
    sizes: { emptyCount, occupied: occupied.map((domain) => domain.pods.length) },
    sizeOf: (domain) => byDomain.get(domain)?.length ?? 0,
  }
}

function bySizeThenName(one: Domain, other: Domain): number {
  return one.pods.length - other.pods.length || (one.name < other.name ? -1 : 1)
}
