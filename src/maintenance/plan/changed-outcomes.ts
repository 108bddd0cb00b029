import type { MaintenanceOutcome, NodeOutcome, Resolution } from './plan.ts'

export interface ChangedOutcomes {
  readonly nodes: readonly string[]
  /** Also those whose last node has gone. */
  readonly maintenances: readonly string[]
}

/** Of whom a plan says something else than before. */
export function changedOutcomes(before: Resolution, after: Resolution): ChangedOutcomes {
  const nodes = [...after.nodes].filter(([name, outcome]) => !isSameNode(before.nodes.get(name), outcome))
  const changed = [...after.maintenances].filter(
    ([name, outcome]) => !isSameMaintenance(before.maintenances.get(name), outcome),
  )
  const gone = [...before.maintenances.keys()].filter((name) => !after.maintenances.has(name))
  return { nodes: nodes.map(([name]) => name), maintenances: [...changed.map(([name]) => name), ...gone] }
}

function isSameNode(one: NodeOutcome | undefined, other: NodeOutcome): boolean {
  return (
    one !== undefined &&
    one.targets === other.targets &&
    one.message === other.message &&
    one.tally.pending === other.tally.pending &&
    one.tally.evacuating === other.tally.evacuating
  )
}

function isSameMaintenance(one: MaintenanceOutcome | undefined, other: MaintenanceOutcome): boolean {
  return (
    one !== undefined &&
    one.reached === other.reached &&
    one.message === other.message &&
    one.nodesTotal === other.nodesTotal &&
    one.nodesDrained === other.nodesDrained &&
    one.pending === other.pending &&
    one.evacuating === other.evacuating
  )
}
