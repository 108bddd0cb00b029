import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import { asObject, isAllowedOn } from '../fit/node-fit.ts'
import { NodeSearch } from '../fit/node-search.ts'
import { asListed, inOrder } from '../cycle/orders.ts'
import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import { isActive, leavableOf, selectedOn } from '../cycle/pods-listed.ts'
import type { NodeAffinityArgs } from '../policy/policy.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

/** Pods whose node does not have, or no longer has, what their node affinity asks for. */
export const nodeAffinity: Plugin<'RemovePodsViolatingNodeAffinity'> = {
  name: 'RemovePodsViolatingNodeAffinity',
  extensionPoint: 'deschedule',
  nominate,
}

type Condition = (pod: PodView, node: NodeView) => boolean

function* nominate(world: PluginWorld, args: NodeAffinityArgs): Nominations {
  const conditions: Readonly<Record<string, Condition>> = {
    requiredDuringSchedulingIgnoredDuringExecution: isMisplaced,
    preferredDuringSchedulingIgnoredDuringExecution: prefersAnother(world.nodes),
  }
  const vacated: string[] = []
  const search = new NodeSearch(world.nodes, {
    podsOn: (node) => world.podsOn(node),
    usedOn: (node) => world.usedOn(node),
    vacated,
  })
  for (const type of args.nodeAffinityType) {
    const isWanted = Object.hasOwn(conditions, type) ? conditions[type] : undefined
    if (isWanted === undefined) continue
    for (const node of world.nodes) {
      yield breath
      const pods = selectedOn(world, node.name, args).filter(
        (pod) => isActive(pod) && isWanted(pod, node) && search.fitsAny(pod),
      )
      for (const pod of inOrder(world, yield* leavableOf(pods, world.evictor), asListed)) {
        const outcome = yield pod
        if (outcome === 'totalLimit') return
        if (outcome === 'leaves') vacated.push(node.name)
        if (outcome === 'nodeLimit') break
      }
    }
  }
}

/** A pod without required node affinity stays, even if its nodeSelector does not match. */
const isMisplaced: Condition = ({ template }, node) =>
  template.requiredNodeAffinity !== undefined && !isAllowedOn(template, node)

/** By the sum of the weights. The best node need not be one that the pod fits: upstream has it so. */
function prefersAnother(nodes: readonly NodeView[]): Condition {
  const bestByPreference = new Map<string, number>()
  return ({ template }, node) => {
    if (template.preferredNodeAffinity.length === 0) return false
    const key = JSON.stringify(template.preferredNodeAffinity)
    let best = bestByPreference.get(key)
    if (best === undefined) {
      best = nodes.reduce((highest, other) => Math.max(highest, weightOf(other, template)), 0)
      bestByPreference.set(key, best)
    }
    return best > weightOf(node, template)
  }
}

function weightOf(node: NodeView, { preferredNodeAffinity }: PodTemplateView): number {
  return preferredNodeAffinity
    .filter(({ preference }) => matchesNodeSelector({ nodeSelectorTerms: [preference] }, asObject(node)))
    .reduce((sum, { weight }) => sum + weight, 0)
}
