import { timestamp } from '../../api/kubernetes/timestamp.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { nodeAgentReport, type NodeAgentReport, type NodeAgents } from './node-agents.ts'
import type { DrainPicture, ExpectedFinish, NodePicture } from '../view/drain-picture.ts'

/** What `status -o json` prints of a maintenance, or of a drain of several. Scripts rely on it: fields are added, never renamed or taken away. */
export interface MaintenanceReport {
  readonly name: string
  /** The NodeMaintenances: of a drain of several nodes, one for each node. */
  readonly maintenances: readonly string[]
  readonly stage: string
  readonly reason: string
  readonly createdAt: string | null
  readonly drained: boolean
  readonly completed: boolean
  readonly message: string
  readonly nodesTotal: number
  readonly nodesDrained: number
  readonly podsPending: number
  readonly podsEvacuating: number
  /** Null where it is unknown. */
  readonly expectedFinishAt: string | null
  /** Every selected node that Lifeboat has come to; those with trouble first. */
  readonly nodes: readonly NodeReport[]
  readonly blockers: readonly BlockerReport[]
}

export interface NodeReport {
  readonly name: string
  /** One of blocked, waiting, moving, unseen, cordoned, drained. */
  readonly state: string
  readonly podsPending: number
  readonly podsEvacuating: number
  readonly message: string
  readonly expectedFinishAt: string | null
  /** Null where it may not be read. */
  readonly agent: NodeAgentReport | null
}

export interface BlockerReport {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  /** The reason of the condition Blocked, for programs. */
  readonly reason: string
  readonly message: string
  readonly remedy: string
  /** False: it continues on its own. */
  readonly needsSomebody: boolean
}

export function reportOf(
  picture: DrainPicture,
  maintenances: readonly NodeMaintenance[],
  agents: NodeAgents | undefined,
): MaintenanceReport {
  return {
    name: picture.name,
    maintenances: maintenances.map(({ metadata }) => metadata.name),
    stage: picture.stage,
    reason: picture.reason,
    createdAt: timeOrNull(picture.createdAtMs),
    drained: picture.isDrained,
    completed: picture.isCompleted,
    message: picture.message,
    nodesTotal: picture.nodesTotal,
    nodesDrained: picture.nodesDrained,
    podsPending: picture.pending,
    podsEvacuating: picture.evacuating,
    expectedFinishAt: finishOrNull(picture.expected),
    nodes: picture.nodes.map((node) => nodeReport(node, agents)),
    blockers: picture.waiting.map(({ namespace, pod, node, reason, text, remedy, needsSomebody }) => ({
      namespace,
      pod,
      node,
      reason,
      message: text,
      remedy,
      needsSomebody,
    })),
  }
}

function nodeReport(
  { name, state, pending, evacuating, message, expected }: NodePicture,
  agents: NodeAgents | undefined,
): NodeReport {
  return {
    name,
    state,
    podsPending: pending,
    podsEvacuating: evacuating,
    message,
    expectedFinishAt: finishOrNull(expected),
    agent: nodeAgentReport(agents, name),
  }
}

function finishOrNull(expected: ExpectedFinish | undefined): string | null {
  return timeOrNull(expected?.atMs)
}

function timeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timestamp(atMs)
}
