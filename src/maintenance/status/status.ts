import Value from 'typebox/value'
import { withCondition } from '../../api/schema/condition.ts'
import type { Condition } from '../../api/kubernetes/meta.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import {
  completedCondition,
  drainedCondition,
  newNodeMaintenanceStatus,
  nodeMaintenanceLimits,
  type DrainStatus,
  type NodeMaintenance,
  type NodeMaintenanceStatus,
  type NodeStatus,
} from '../../api/maintenance/node-maintenance.ts'
import type { Stage } from '../../api/maintenance/stage.ts'
import { isHeld } from '../plan/active.ts'
import type { MaintenanceOutcome, NodeOutcome } from '../plan/plan.ts'

// The status of a NodeMaintenance, stage by stage: pure, and the same for the same view.

export interface StatusView {
  readonly maintenance: NodeMaintenance
  readonly nodesTotal: number
  readonly outcome: MaintenanceOutcome | undefined
  readonly nodes: readonly NodeOutcome[]
}

/** Of all node statuses together, as JSON: long plans must not make an object that etcd refuses. */
const nodeStatusesBytesMax = 128 * 1_024

export function idleStatus({ maintenance, nodesTotal }: StatusView, nowMs: number): NodeMaintenanceStatus {
  return { ...begun(maintenance, nowMs), drainStatus: { ...nothingToDrain, nodesTotal } }
}

/** In the stages Cordon and Drain. */
export function activeStatus(view: StatusView, nowMs: number): NodeMaintenanceStatus {
  const { maintenance, nodesTotal, outcome, nodes } = view
  if (maintenance.spec.stage === 'Cordon') return idleStatus(view, nowMs)
  const base = begun(maintenance, nowMs)
  if (outcome === undefined && nodesTotal > 0) return base
  return {
    ...base,
    drainStatus: outcome === undefined ? { ...nothingToDrain, drainMessage: noNodes } : drainStatusOf(outcome),
    nodeStatuses: nodeStatusesOf(nodes),
    conditions: withCondition(base.conditions ?? [], drainedNow(maintenance, outcome), timestamp(nowMs)),
  }
}

/** The stage has begun; what the drain came to stays to be read. */
export function completingStatus({ maintenance }: StatusView, nowMs: number): NodeMaintenanceStatus {
  const known = maintenance.status?.stageStatuses ?? []
  const isNoted = known.some(({ name }) => name !== 'Idle')
  if (isNoted || !isHeld(maintenance.metadata)) return begun(maintenance, nowMs)
  // It held its nodes for so short a time that its status does not say so. Without that it would pass for one that went
  // from Idle to Complete, which makes nodes schedulable that an admin cordoned.
  return begun(maintenance, nowMs, ['Cordon', maintenance.spec.stage])
}

export function completedStatus({ maintenance, nodesTotal }: StatusView, nowMs: number): NodeMaintenanceStatus {
  const base = begun(maintenance, nowMs)
  const condition = {
    type: completedCondition,
    status: 'True' as const,
    reason: 'Completed',
    message: 'The nodes are given back',
    ...generationOf(maintenance),
  }
  return {
    ...base,
    drainStatus: { ...base.drainStatus, nodesTotal, podsPendingEvacuation: 0, podsEvacuating: 0, drainMessage: '' },
    nodeStatuses: [],
    conditions: withCondition(base.conditions ?? [], condition, timestamp(nowMs)),
  }
}

/** What is there, and the moment at which its stage began. */
function begun(
  { spec, status }: NodeMaintenance,
  nowMs: number,
  stages: readonly Stage[] = [spec.stage],
): NodeMaintenanceStatus {
  const known = structuredClone((status ?? newNodeMaintenanceStatus) as NodeMaintenanceStatus)
  const stageStatuses = known.stageStatuses ?? []
  const added = stages.filter((stage) => !stageStatuses.some(({ name }) => name === stage))
  if (added.length === 0) return known
  const startTimestamp = timestamp(nowMs)
  return { ...known, stageStatuses: [...stageStatuses, ...added.map((name) => ({ name, startTimestamp }))] }
}

const nothingToDrain: DrainStatus = newNodeMaintenanceStatus.drainStatus
const noNodes = 'No node is selected'

function drainStatusOf(outcome: MaintenanceOutcome): DrainStatus {
  return {
    reachedDrainTargets: structuredClone(outcome.reached),
    drainMessage: outcome.message,
    nodesTotal: outcome.nodesTotal,
    nodesDrained: outcome.nodesDrained,
    podsPendingEvacuation: outcome.pending,
    podsEvacuating: outcome.evacuating,
  }
}

function drainedNow(
  maintenance: NodeMaintenance,
  outcome: MaintenanceOutcome | undefined,
): Omit<Condition, 'lastTransitionTime'> {
  const base = { type: drainedCondition, ...generationOf(maintenance) }
  if (outcome === undefined) return { ...base, status: 'True', reason: 'NoNodes', message: noNodes }
  if (outcome.isDrained) return { ...base, status: 'True', reason: 'Drained', message: outcome.message }
  const { nodesDrained, nodesTotal, message } = outcome
  const reason = message.startsWith('Waiting') ? 'Waiting' : 'Evacuating'
  return { ...base, status: 'False', reason, message: `${nodesDrained} of ${nodesTotal} nodes are drained` }
}

function generationOf({ metadata }: NodeMaintenance): { observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }
}

/** Those with the most left to do first, as many as there is room for. */
function nodeStatusesOf(nodes: readonly NodeOutcome[]): NodeStatus[] {
  const left = ({ tally }: NodeOutcome) => tally.pending + tally.evacuating
  const statuses = nodes
    .toSorted((a, b) => left(b) - left(a) || (a.tally.node.name < b.tally.node.name ? -1 : 1))
    .slice(0, nodeMaintenanceLimits.nodeStatusesMax)
    .map((outcome): NodeStatus => ({
      nodeRef: { name: outcome.tally.node.name },
      drainTargets: structuredClone(outcome.targets),
      drainMessage: outcome.message,
      podsPendingEvacuation: outcome.tally.pending,
      podsEvacuating: outcome.tally.evacuating,
    }))
  let bytes = 0
  return statuses.filter((status) => (bytes += Buffer.byteLength(JSON.stringify(status))) <= nodeStatusesBytesMax)
}

/** Regardless of the order of fields, which the API server chooses. */
export function isSameStatus(one: NodeMaintenanceStatus | undefined, other: NodeMaintenanceStatus): boolean {
  return one !== undefined && Value.Equal(withoutEmpty(one), withoutEmpty(other))
}

function withoutEmpty(status: NodeMaintenanceStatus): object {
  const { nodeStatuses = [], ...rest } = status
  return nodeStatuses.length === 0 ? rest : { ...rest, nodeStatuses }
}
