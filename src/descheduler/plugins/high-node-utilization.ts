import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import type { HighNodeUtilizationArgs, Thresholds } from '../policy/policy.ts'
import { percentagesOf } from '../utilization/percent.ts'
import { hasRoom } from '../utilization/room.ts'
import { sendAway } from '../utilization/send-away.ts'
import { isAbove } from '../utilization/thresholds.ts'
import { requestedUsage, sizeOfUsage, type UsedNode } from '../utilization/usage.ts'
import type { PodView } from '../view.ts'

/** Empties nodes below the thresholds, so that fewer nodes are used. */
export const highNodeUtilization: Plugin<'HighNodeUtilization'> = {
  name: 'HighNodeUtilization',
  extensionPoint: 'balance',
  *nominate(world: PluginWorld, args: HighNodeUtilizationArgs): Nominations {
    const usage = requestedUsage(world, args.thresholds)
    const under: UsedNode[] = []
    const others: UsedNode[] = []
    for (const node of world.nodes) {
      yield breath
      const used = new Map(usage.usedOn(node))
      if (!isAbove(percentagesOf(node, used), args.thresholds)) under.push({ node, used })
      else if (!node.isCordoned) others.push({ node, used })
    }
    if (under.length === 0 || under.length <= args.numberOfNodes || others.length === 0) return
    yield* sendAway(world, {
      sources: under.toSorted((one, other) => sizeOfUsage(one.used) - sizeOfUsage(other.used)),
      destinations: others,
      fillTo: fullOf(args.thresholds),
      usage,
      continues: (_, room) => hasRoom(room),
      isMovable: movableBy(args),
      excludedNamespaces: args.evictableNamespaces?.exclude ?? [],
      perSourceMax: undefined,
    })
  },
}

/** A threshold of 100 percent is not the same as none: it rounds fractions of a unit. */
function fullOf(thresholds: Thresholds): Thresholds {
  return Object.fromEntries(Object.keys(thresholds).map((resource) => [resource, 100]))
}

function movableBy({ thresholds, evictionModes }: HighNodeUtilizationArgs): (pod: PodView) => boolean {
  if (!evictionModes.includes('OnlyThresholdingResources')) return () => true
  const resources = Object.keys(thresholds)
  return ({ template }) => resources.some((resource) => template.requestedByContainers.has(resource))
}
