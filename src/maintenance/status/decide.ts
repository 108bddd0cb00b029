import { withFinalizer, withoutFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import { finalizers } from '../../api/names.ts'
import {
  isCompleted,
  type NodeMaintenance,
  type NodeMaintenanceStatus,
} from '../../api/maintenance/node-maintenance.ts'
import { isHeld } from '../plan/active.ts'
import type { NodeOutcome, MaintenanceOutcome } from '../plan/plan.ts'
import { activeStatus, completedStatus, completingStatus, idleStatus, isSameStatus } from './status.ts'

export interface MaintenanceView {
  readonly maintenance: NodeMaintenance
  /** How many nodes it selects. */
  readonly nodesTotal: number
  /** What the plan says; undefined while it does not drain, or while some pods are not known. */
  readonly outcome: MaintenanceOutcome | undefined
  readonly nodes: readonly NodeOutcome[]
  /** Of those that it selects and no other maintenance holds. */
  readonly given: {
    /** Nodes that still bear the marks of a maintenance. */
    readonly marked: number
    /** Nodes that are not schedulable, and bear no mark. */
    readonly cordoned: readonly string[]
  }
}

export type MaintenanceStep =
  | { readonly kind: 'nothing' }
  /** Its nodes are being given back, which tells when it is done. */
  | { readonly kind: 'waitForNodes' }
  | { readonly kind: 'write'; readonly patch: object; readonly why: 'hold' | 'complete' | 'letGo' }
  | { readonly kind: 'status'; readonly status: NodeMaintenanceStatus }
  | { readonly kind: 'makeSchedulable'; readonly nodes: readonly string[] }

const hold = finalizers.maintenanceCompletion

export function decideMaintenance(view: MaintenanceView, nowMs: number): MaintenanceStep {
  const { maintenance } = view
  const { metadata, spec } = maintenance
  const held = isHeld(metadata)
  const isDeleted = metadata.deletionTimestamp !== undefined
  if (spec.stage === 'Complete') return complete(view, { held, isDeleted }, nowMs)
  if (spec.stage === 'Idle') return isDeleted ? nothing : report(view, idleStatus(view, nowMs))
  if (isDeleted) return write('complete', maintenance, { spec: { stage: 'Complete' } })
  if (!held) return write('hold', maintenance, { metadata: { finalizers: withFinalizer(metadata.finalizers, hold) } })
  return report(view, activeStatus(view, nowMs))
}

interface Hold {
  readonly held: boolean
  readonly isDeleted: boolean
}

function complete(view: MaintenanceView, { held, isDeleted }: Hold, nowMs: number): MaintenanceStep {
  const { maintenance, given } = view
  const { metadata, status } = maintenance
  if (isCompleted(maintenance)) {
    if (!held) return nothing
    return write('letGo', maintenance, { metadata: { finalizers: withoutFinalizer(metadata.finalizers, hold) } })
  }
  const completing = completingStatus(view, nowMs)
  if (!isSameStatus(status, completing)) return { kind: 'status', status: completing }
  // Not before the stage is noted: until then a finalizer tells that it held nodes.
  if (!held && !isDeleted) {
    return write('hold', maintenance, { metadata: { finalizers: withFinalizer(metadata.finalizers, hold) } })
  }
  if (given.marked > 0) return { kind: 'waitForNodes' }
  // KEP-4212: a maintenance that goes from Idle to Complete makes its nodes schedulable, also those an admin cordoned.
  const wasActive = status?.stageStatuses?.some(({ name }) => name === 'Cordon' || name === 'Drain') ?? false
  if (!wasActive && given.cordoned.length > 0) return { kind: 'makeSchedulable', nodes: given.cordoned }
  return { kind: 'status', status: completedStatus(view, nowMs) }
}

const nothing: MaintenanceStep = { kind: 'nothing' }

function report({ maintenance }: MaintenanceView, status: NodeMaintenanceStatus): MaintenanceStep {
  return isSameStatus(maintenance.status, status) ? nothing : { kind: 'status', status }
}

/** Lists are replaced as a whole, and a stage must not be set by who has not seen the last one. */
function write(
  why: 'hold' | 'complete' | 'letGo',
  { metadata }: NodeMaintenance,
  change: { readonly metadata?: object; readonly spec?: object },
): MaintenanceStep {
  const { uid, resourceVersion } = metadata
  return { kind: 'write', why, patch: { ...change, metadata: { uid, resourceVersion, ...change.metadata } } }
}
