import { findUntolerated } from '../../api/kubernetes/taints.ts'
import { isAllowedOn } from '../fit/node-fit.ts'
import { inOrder } from '../cycle/orders.ts'
import { breath, type InBreaths, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import { isActive, isSelected, leavableOf } from '../cycle/pods-listed.ts'
import type { RemoveDuplicatesArgs } from '../policy/policy.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

// Pods of one owner with the same images should not crowd on one node while other nodes could take them.

export const removeDuplicates: Plugin<'RemoveDuplicates'> = {
  name: 'RemoveDuplicates',
  extensionPoint: 'balance',
  *nominate(world: PluginWorld, args: RemoveDuplicatesArgs): Nominations {
    const sets = new PodSets()
    for (const { name } of world.nodes) {
      yield breath
      for (const pod of world.podsOn(name)) if (isLookedAt(pod, args)) sets.add(pod)
    }
    const targets = new Targets(world.nodes)
    // The evictor is asked about all pods before the first leaves: afterwards a set may have too few replicas.
    const surplus: PodView[][] = []
    for (const replicas of sets.withDuplicates()) {
      yield breath
      surplus.push(...(yield* surplusOf(replicas, world, targets)))
    }
    yield* nameAll(surplus)
  },
}

/** `surplus` has the pods of one set and node together. */
function* nameAll(surplus: readonly (readonly PodView[])[]): Nominations {
  // A pod with two owners is in two sets.
  const named = new Set<PodView>()
  for (const pods of surplus) {
    for (const pod of pods) {
      if (named.has(pod)) continue
      named.add(pod)
      const outcome = yield pod
      if (outcome === 'totalLimit') return
      if (outcome === 'nodeLimit') break
    }
  }
}

function isLookedAt(pod: PodView, { namespaces, excludeOwnerKinds = [] }: RemoveDuplicatesArgs): boolean {
  const { owners } = pod.template
  return (
    isActive(pod) &&
    owners.length > 0 &&
    !owners.some(({ kind }) => excludeOwnerKinds.includes(kind)) &&
    isSelected(pod, namespaces === undefined ? {} : { namespaces })
  )
}

/** Pods with the same namespace, owners and images, by node: on one node they are duplicates of each other. */
interface Alike {
  readonly namespace: string
  /** One for each owner. */
  readonly sets: readonly string[]
  readonly byNode: Map<string, PodView[]>
}

/** Pods with one namespace, owner and images. Those with a second owner are among them. */
type Replicas = readonly Alike[]

class PodSets {
  readonly #byIdentity = new Map<string, Alike>()
  /** Most templates are of one namespace. */
  readonly #byTemplate = new Map<PodTemplateView, Alike>()

  add(pod: PodView): void {
    const known = this.#byTemplate.get(pod.template)
    const { byNode } = known?.namespace === pod.namespace ? known : this.#alikeOf(pod)
    const onNode = byNode.get(pod.nodeName)
    if (onNode === undefined) byNode.set(pod.nodeName, [pod])
    else onNode.push(pod)
  }

  #alikeOf({ namespace, template }: PodView): Alike {
    const { owners, images } = template
    const sets = owners.map(({ kind, name }) => JSON.stringify([namespace, kind, name, ...images]))
    const distinct = [...new Set(sets)].toSorted()
    const identity = distinct.join(' ')
    const alike = this.#byIdentity.get(identity) ?? { namespace, sets: distinct, byNode: new Map<string, PodView[]>() }
    this.#byIdentity.set(identity, alike)
    this.#byTemplate.set(template, alike)
    return alike
  }

  /** Those with two pods on some node, in the order of their names. Protected pods have not been sorted out yet. */
  withDuplicates(): Replicas[] {
    const bySet = new Map<string, Alike[]>()
    const crowded = new Set<string>()
    for (const alike of this.#byIdentity.values()) {
      const isCrowded = [...alike.byNode.values()].some((pods) => pods.length > 1)
      for (const set of alike.sets) {
        const known = bySet.get(set)
        if (known === undefined) bySet.set(set, [alike])
        else known.push(alike)
        if (isCrowded) crowded.add(set)
      }
    }
    return [...crowded].toSorted().map((set) => bySet.get(set) ?? [])
  }
}

/** Who is too many, node by node. */
function* surplusOf(replicas: Replicas, world: PluginWorld, targets: Targets): InBreaths<PodView[][]> {
  const { count, duplicatesByNode } = yield* duplicatesOf(replicas, world)
  const duplicates = [...duplicatesByNode.values()].flat()
  if (duplicates.length === 0) return []
  const targetCount = targets.countFor(new Set(duplicates.map(({ template }) => template)))
  if (targetCount < 2) return []
  const average = Math.ceil(count / targetCount)
  return [...duplicatesByNode]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, pods]) => inOrder(world, pods, () => 0).slice(0, Math.max(0, pods.length + 1 - average)))
}

interface Duplicates {
  /** All pods of the set that may leave. */
  readonly count: number
  /** Without the one that stays as the original. */
  readonly duplicatesByNode: ReadonlyMap<string, readonly PodView[]>
}

function* duplicatesOf(replicas: Replicas, world: PluginWorld): InBreaths<Duplicates> {
  const duplicatesByNode = new Map<string, PodView[]>()
  let count = 0
  for (const { byNode } of replicas) {
    for (const [node, pods] of byNode) {
      const leavable = yield* leavableOf(pods, world.evictor)
      count += leavable.length
      if (leavable.length < 2) continue
      // The last to go is the original. A pod that is leaving already is not, unless all are.
      const duplicates = inOrder(world, leavable, () => 0).slice(0, -1)
      duplicatesByNode.set(node, [...(duplicatesByNode.get(node) ?? []), ...duplicates])
    }
  }
  return { count, duplicatesByNode }
}

/** On how many nodes duplicates may run. Cordoned ones count, as upstream has it. */
class Targets {
  readonly #nodes: readonly NodeView[]
  readonly #byTemplate = new Map<PodTemplateView, string>()
  readonly #nodesByDemands = new Map<string, ReadonlySet<string>>()

  constructor(nodes: readonly NodeView[]) {
    this.#nodes = nodes
  }

  countFor(templates: ReadonlySet<PodTemplateView>): number {
    const distinct = new Map([...templates].map((template) => [this.#demandsOf(template), template]))
    const targets = [...distinct].map(([demands, template]) => this.#nodesFor(demands, template))
    const [first = new Set<string>(), ...others] = targets.filter(({ size }) => size > 1)
    return others.reduce((union, nodes) => union.union(nodes), first).size
  }

  #demandsOf(template: PodTemplateView): string {
    const known = this.#byTemplate.get(template)
    if (known !== undefined) return known
    const { tolerations, nodeSelector, requiredNodeAffinity } = template
    const demands = JSON.stringify([tolerations, nodeSelector, requiredNodeAffinity])
    this.#byTemplate.set(template, demands)
    return demands
  }

  #nodesFor(demands: string, template: PodTemplateView): ReadonlySet<string> {
    const known = this.#nodesByDemands.get(demands)
    if (known !== undefined) return known
    const nodes = this.#nodes.filter(
      (node) =>
        findUntolerated(node.taints, template.tolerations, ['NoSchedule', 'NoExecute']) === undefined &&
        isAllowedOn(template, node),
    )
    const names = new Set(nodes.map(({ name }) => name))
    this.#nodesByDemands.set(demands, names)
    return names
  }
}
