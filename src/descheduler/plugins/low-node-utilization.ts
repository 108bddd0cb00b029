import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import type { LowNodeUtilizationArgs } from '../policy/policy.ts'
import { percentagesOf } from '../utilization/percent.ts'
import { hasRoom, isOverfull } from '../utilization/room.ts'
import { sendAway } from '../utilization/send-away.ts'
import { bordersAround, isAbove, type Borders } from '../utilization/thresholds.ts'
import { sizeOfUsage, usageSourceOf, type UsedNode } from '../utilization/usage.ts'

/** Moves pods from nodes above the target to nodes below the thresholds. */
export const lowNodeUtilization: Plugin<'LowNodeUtilization'> = {
  name: 'LowNodeUtilization',
  extensionPoint: 'balance',
  *nominate(world: PluginWorld, args: LowNodeUtilizationArgs): Nominations {
    const usage = usageSourceOf(world, args)
    const nodes: UsedNode[] = []
    for (const node of world.nodes) {
      yield breath
      nodes.push({ node, used: new Map(usage.usedOn(node)) })
    }
    const { under, over, borders } = classify(nodes, args)
    if (under.length === 0 || under.length <= args.numberOfNodes || over.length === 0) return
    yield* sendAway(world, {
      sources: over.toSorted((one, other) => sizeOfUsage(other.used) - sizeOfUsage(one.used)),
      destinations: under,
      fillTo: borders.over,
      usage,
      continues: (source, room) => isOverfull(source, borders.over) && hasRoom(room),
      isMovable: () => true,
      excludedNamespaces: args.evictableNamespaces?.exclude ?? [],
      perSourceMax: args.evictionLimits?.node,
    })
  },
}

interface Classes {
  readonly under: readonly UsedNode[]
  readonly over: readonly UsedNode[]
  readonly borders: Borders
}

function classify(nodes: readonly UsedNode[], args: LowNodeUtilizationArgs): Classes {
  const { thresholds, targetThresholds, useDeviationThresholds } = args
  const given: Borders = { under: thresholds, over: targetThresholds }
  const percentages = nodes.map(({ node, used }) => percentagesOf(node, used))
  const borders = useDeviationThresholds ? bordersAround(percentages, given) : given
  const under: UsedNode[] = []
  const over: UsedNode[] = []
  for (const [index, used] of nodes.entries()) {
    const percent = percentages[index] ?? new Map<string, number>()
    if (!used.node.isCordoned && !isAbove(percent, borders.under)) under.push(used)
    else if (isAbove(percent, borders.over)) over.push(used)
  }
  return { under, over, borders }
}
