import type { DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import type { PodsOfNode } from './pods.ts'
import type { Targets } from './targets.ts'

// What a plan is resolved from, and where each part of it stands meanwhile.

/** A maintenance in the stage Drain. */
export interface DrainingMaintenance {
  readonly name: string
  readonly createdMs: number
  /** Ends with entries that target every pod. */
  readonly plan: readonly DrainPlanEntry[]
}

export interface DrainingNode {
  readonly name: string
  /** The maintenances that drain it, oldest first. Nodes with the same ones should share the array: that is faster. */
  readonly maintenances: readonly DrainingMaintenance[]
  /** The targets that it has come to, as its annotation keeps them. */
  readonly reached: Targets
  readonly pods: PodsOfNode
}

/** What a resolution needs of a node. Changes only when the node, its pods or its maintenances do. */
export interface NodeTally {
  readonly node: DrainingNode
  /** For each of its maintenances the first entry of the plan that has pods here; the length of the plan for none. */
  readonly lowest: readonly number[]
  /** Pods within the targets that the node has reached. */
  readonly targeted: number
  readonly pending: number
  readonly evacuating: number
}

/** A maintenance while a plan is resolved. */
export interface Standing {
  readonly maintenance: DrainingMaintenance
  /** Its current entry: the first that has pods on any of its nodes; past the last one, none has. */
  position: number
  /** Of that entry. */
  targets: Targets
  /** Some pod is still there that is within what a node of its has reached, or begins with. */
  isUnsettled: boolean
  /** The maintenances that it shares nodes with. */
  readonly neighbours: Set<Standing>
  readonly groups: NodeGroup[]
}

/** Nodes that have the same maintenances. */
export interface NodeGroup {
  readonly standings: readonly Standing[]
  readonly members: Member[]
  /** Once all targets are found. */
  sum: GroupSum
}

/** The nodes of a group together, once for all of its maintenances: a cluster has few groups and many nodes. */
export interface GroupSum {
  nodesDrained: number
  pending: number
  evacuating: number
  staying: { DaemonSet: number; Static: number; NodeAgent: number }
  isEvacuating: boolean
  /** All that there are. */
  readonly targets: Set<Targets>
  readonly reached: Set<Targets>
  /** For each maintenance: those of the nodes that have pods of its current entry. */
  readonly current: readonly Set<Targets>[]
}

/** A node while a plan is resolved. */
export interface Member {
  readonly tally: NodeTally
  targets: Targets
  /** Pods within those. */
  targeted: number
}

export function byAge(a: DrainingMaintenance, b: DrainingMaintenance): number {
  if (a.createdMs !== b.createdMs) return a.createdMs - b.createdMs
  return a.name < b.name ? -1 : 1
}
