import type { GroupSum, NodeGroup, Standing } from './standing.ts'
import type { Targets } from './targets.ts'

export function emptySum(standings: readonly Standing[]): GroupSum {
  return {
    nodesDrained: 0,
    pending: 0,
    evacuating: 0,
    staying: { DaemonSet: 0, Static: 0, NodeAgent: 0 },
    isEvacuating: false,
    targets: new Set(),
    reached: new Set(),
    current: standings.map(() => new Set()),
  }
}

/** Everything about the nodes of a group that its maintenances have to know. */
export function sumOf({ standings, members }: NodeGroup): GroupSum {
  const sum = emptySum(standings)
  for (const { tally, targets, targeted } of members) {
    const { pods, reached } = tally.node
    if (pods.leaving.length === 0) sum.nodesDrained++
    sum.pending += tally.pending
    sum.evacuating += tally.evacuating
    sum.staying.DaemonSet += pods.staying.DaemonSet ?? 0
    sum.staying.Static += pods.staying.Static ?? 0
    sum.staying.NodeAgent += pods.staying.NodeAgent ?? 0
    sum.isEvacuating ||= targeted > 0
    sum.targets.add(targets)
    sum.reached.add(reached)
  }
  standings.forEach(({ position }, index) => addCurrent(sum, members, { position, index }))
  return sum
}

function addCurrent(
  { current }: GroupSum,
  members: NodeGroup['members'],
  { position, index }: { readonly position: number; readonly index: number },
): void {
  let last: Targets | undefined
  for (const { tally, targets } of members) {
    // Most nodes have the targets of the one before.
    if (targets === last || tally.lowest[index] !== position) continue
    current[index]?.add(targets)
    last = targets
  }
}
