import type { Taint } from '../../api/kubernetes/scheduling.ts'
import { findUntolerated } from '../../api/kubernetes/taints.ts'
import { asListed, inOrder } from '../cycle/orders.ts'
import type { Plugin } from '../plugin.ts'
import { isActive, leavableOf, selectedOn } from '../cycle/pods-listed.ts'
import type { NodeTaintsArgs } from '../policy/policy.ts'
import { nodeByNode } from './node-by-node.ts'

/** Pods that do not tolerate a taint that their node has by now. NoExecute is left to Kubernetes. */
export const nodeTaints: Plugin<'RemovePodsViolatingNodeTaints'> = {
  name: 'RemovePodsViolatingNodeTaints',
  extensionPoint: 'deschedule',
  *nominate(world, args) {
    const effects = args.includePreferNoSchedule === true ? ['NoSchedule', 'PreferNoSchedule'] : ['NoSchedule']
    yield* nodeByNode(world, function* ({ name, taints }) {
      const counted = taints.filter((taint) => effects.includes(taint.effect) && counts(taint, args))
      if (counted.length === 0) return []
      const wanted = selectedOn(world, name, args).filter(
        (pod) => isActive(pod) && findUntolerated(counted, pod.template.tolerations, effects) !== undefined,
      )
      return inOrder(world, yield* leavableOf(wanted, world.evictor), asListed)
    })
  },
}

/** An empty list of included taints includes none; only a missing one includes all. */
function counts(taint: Taint, { includedTaints, excludedTaints = [] }: NodeTaintsArgs): boolean {
  return !names(excludedTaints, taint) && (includedTaints === undefined || names(includedTaints, taint))
}

/** By KEY or KEY=VALUE. */
function names(list: readonly string[], { key, value = '' }: Taint): boolean {
  return list.includes(key) || (value !== '' && list.includes(`${key}=${value}`))
}
