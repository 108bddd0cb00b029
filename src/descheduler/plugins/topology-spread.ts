import { labelOf } from '../../api/kubernetes/label-selector.ts'
import { inOrder, priorityOf } from '../cycle/orders.ts'
import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import { isActive, isSelected, mayLeave } from '../cycle/pods-listed.ts'
import type { TopologySpreadArgs } from '../policy/policy.ts'
import { averageOf, isBalanced, transfersBetween } from '../topology/balance.ts'
import type { SpreadConstraint } from '../topology/constraint.ts'
import { Layouts, occupationOf, type Layout, type Occupation } from '../topology/domains.ts'
import { fitsElsewhereOn } from '../topology/fit-elsewhere.ts'
import { NamespacePods } from '../topology/namespace-pods.ts'
import type { PodView } from '../view.ts'

/** Takes pods from domains that have more than the spread constraints of the pods allow. */
export const topologySpread: Plugin<'RemovePodsViolatingTopologySpreadConstraint'> = {
  name: 'RemovePodsViolatingTopologySpreadConstraint',
  extensionPoint: 'balance',
  *nominate(world: PluginWorld, args: TopologySpreadArgs): Nominations {
    const byNamespace = new Map<string, NamespacePods>()
    for (const { name } of world.nodes) {
      yield breath
      for (const pod of world.podsOn(name)) {
        if (isActive(pod) && isSelected(pod, args)) addTo(byNamespace, pod)
      }
    }
    const isEvictable = (pod: PodView) => world.evictor.filter(pod) === undefined
    const nodesByName = new Map(world.nodes.map((node) => [node.name, node]))
    const layouts = new Layouts(world.nodes)
    const surplus = new Set<PodView>()
    for (const pods of byNamespace.values()) {
      for (const constraint of yield* pods.constraints(args.constraints, isEvictable)) {
        yield breath
        const layout = layouts.for(constraint)
        const occupation = occupationOf(layout, pods.selectedBy(constraint, isEvictable), nodesByName)
        if (isBalanced(occupation.sizes, constraint.maxSkew)) continue
        for (const pod of surplusOf(constraint, layout, occupation, { world, args })) surplus.add(pod)
      }
    }
    yield* nameAll(surplus, world)
  },
}

function addTo(byNamespace: Map<string, NamespacePods>, pod: PodView): void {
  let pods = byNamespace.get(pod.namespace)
  if (pods === undefined) {
    pods = new NamespacePods()
    byNamespace.set(pod.namespace, pods)
  }
  pods.add(pod)
}

interface Setting {
  readonly world: PluginWorld
  readonly args: TopologySpreadArgs
}

/** Who leaves, so that the domains come within the skew. */
function surplusOf(
  { maxSkew }: SpreadConstraint,
  layout: Layout,
  { domains, sizes, sizeOf }: Occupation,
  { world, args }: Setting,
): PodView[] {
  const average = averageOf(sizes)
  const fitsElsewhere = fitsElsewhereOn(() => nodesBelow(average, layout, sizeOf), world)
  // A pod that is leaving already makes its domain smaller, wherever its successor will fit.
  const mayMove = (pod: PodView) => world.rankOf(pod) === 0 || fitsElsewhere(pod)
  const countsByDomain = new Map<number, number>()
  for (const { from, count } of transfersBetween(sizes, maxSkew)) {
    countsByDomain.set(from, (countsByDomain.get(from) ?? 0) + count)
  }
  return [...countsByDomain].flatMap(([index, count]) => {
    const pods = domains[index - sizes.emptyCount]?.pods ?? []
    const taken = inOrder(world, pods, firstToLeave(mayMove)).slice(0, count)
    return args.topologyBalanceNodeFit ? taken.filter(mayMove) : taken
  })
}

function* nodesBelow(average: number, { nodes, topologyKey }: Layout, sizeOf: Occupation['sizeOf']) {
  for (const node of nodes.turn()) if (sizeOf(labelOf(node.labels, topologyKey) ?? '') < average) yield node
}

/**
 * Pods that fit elsewhere come first, then those that are not bound to nodes, then the highest priority. Upstream's
 * comments say the lowest, its tests and its code the highest.
 */
function firstToLeave(mayMove: (pod: PodView) => boolean): (one: PodView, other: PodView) => number {
  return (one, other) =>
    Number(mayMove(other)) - Number(mayMove(one)) ||
    Number(isBound(one)) - Number(isBound(other)) ||
    priorityOf(other) - priorityOf(one)
}

function isBound({ template }: PodView): boolean {
  return Object.keys(template.nodeSelector).length > 0 || template.hasNodeAffinity
}

/** Several constraints may have chosen the same pod: it is named once. */
function* nameAll(surplus: ReadonlySet<PodView>, world: PluginWorld): Nominations {
  const fullNodes = new Set<string>()
  for (const pod of inOrder(world, [...surplus], () => 0)) {
    yield breath
    if (fullNodes.has(pod.nodeName) || !(yield* mayLeave(pod, world.evictor))) continue
    const outcome = yield pod
    if (outcome === 'totalLimit') return
    if (outcome === 'nodeLimit') fullNodes.add(pod.nodeName)
  }
}
