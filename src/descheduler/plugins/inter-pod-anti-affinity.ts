import { byPriority, inOrder } from '../cycle/orders.ts'
import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import { isActive, mayLeave, selectedOn } from '../cycle/pods-listed.ts'
import type { PodSelection } from '../policy/policy.ts'
import type { PodView } from '../view.ts'
import { AntiAffinityConflicts } from './anti-affinity-conflicts.ts'

/** Pods with a rule that keeps them away from a pod beside them. The pod with the rule goes, the other one stays. */
export const interPodAntiAffinity: Plugin<'RemovePodsViolatingInterPodAntiAffinity'> = {
  name: 'RemovePodsViolatingInterPodAntiAffinity',
  extensionPoint: 'deschedule',
  nominate,
}

function* nominate(world: PluginWorld, args: PodSelection): Nominations {
  const listed: PodView[] = []
  for (const { name } of world.nodes) {
    yield breath
    listed.push(...selectedOn(world, name, args).filter(isActive))
  }
  const carriersByNode = Map.groupBy(
    listed.filter(({ template }) => template.antiAffinity.length > 0),
    ({ nodeName }) => nodeName,
  )
  const conflicts = new AntiAffinityConflicts(world.nodes, listed)
  for (const { name } of world.nodes) {
    yield breath
    for (const pod of inOrder(world, carriersByNode.get(name) ?? [], byPriority)) {
      if (!conflicts.has(pod) || !(yield* mayLeave(pod, world.evictor))) continue
      const outcome = yield pod
      if (outcome === 'totalLimit') return
      if (outcome === 'nodeLimit') break
      if (outcome === 'leaves') conflicts.remove(pod)
    }
  }
}
