import { conditionIsTrue } from '../../api/schema/condition.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import {
  completedCondition,
  drainedCondition,
  nodeMaintenances,
  type NodeMaintenance,
  type NodeMaintenanceStatus,
} from '../../api/maintenance/node-maintenance.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Next } from '../../runtime/work-queue.ts'
import type { DrainState } from '../drain-state.ts'
import { isUnderWay } from '../plan/active.ts'
import { decideMaintenance, type MaintenanceView } from './decide.ts'
import { completed, drained, fastForwarded, stageStarted } from '../events.ts'
import type { MaintenanceOutcome } from '../plan/plan.ts'

export interface StatusReconcilerOptions {
  readonly kube: Pick<Kube, 'patch'>
  readonly clock: Clock
  readonly events: { record(event: ClusterEvent): void }
  readonly state: Pick<DrainState, 'maintenance' | 'maintenanceView'>
}

/** The status is written this often at most. */
const statusEveryMs = 1_000

const nodesKnownWithinMs = 50
const settled: Next = { kind: 'settled' }

/** Sees each NodeMaintenance through its stages, and keeps its status. */
export class StatusReconciler {
  readonly #options: StatusReconcilerOptions
  readonly #statusAtMs = new Map<string, number>()

  constructor(options: StatusReconcilerOptions) {
    this.#options = options
  }

  /** Zero or less: now. */
  dueInMs(name: string): number {
    return this.#dueMs(name) - this.#options.clock.nowMs()
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Next> {
    const { clock, kube, state } = this.#options
    const maintenance = state.maintenance(name)
    if (maintenance === undefined) {
      this.#statusAtMs.delete(name)
      return settled
    }
    const nowMs = clock.nowMs()
    if (!isUnderWay(maintenance)) return settled
    const view = state.maintenanceView(maintenance)
    if (view === undefined) return { kind: 'again', atMs: nowMs + nodesKnownWithinMs }
    const step = decideMaintenance(view, nowMs)
    switch (step.kind) {
      case 'nothing':
      case 'waitForNodes':
        return settled
      case 'status': {
        const dueMs = this.#dueMs(name)
        if (dueMs > nowMs) return { kind: 'again', atMs: dueMs }
        await this.#report(view, step.status, signal)
        return settled
      }
      case 'write':
        await this.#try(() => kube.patch(nodeMaintenances, { name }, { type: 'merge', body: step.patch }, { signal }))
        return settled
      case 'makeSchedulable':
        for (const node of step.nodes) await this.#makeSchedulable(node, signal)
        return settled
      default:
        return step satisfies never
    }
  }

  #dueMs(name: string): number {
    return (this.#statusAtMs.get(name) ?? 0) + statusEveryMs
  }

  async #report(view: MaintenanceView, status: NodeMaintenanceStatus, signal: AbortSignal): Promise<void> {
    const { kube, clock } = this.#options
    const { name, uid } = view.maintenance.metadata
    const body = { metadata: { uid }, status }
    const isWritten = await this.#try(() =>
      kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, { subresource: 'status', signal }),
    )
    this.#statusAtMs.set(name, clock.nowMs())
    if (isWritten) this.#tell(view.maintenance, status, view.outcome)
  }

  async #makeSchedulable(name: string, signal: AbortSignal): Promise<void> {
    const patch = { type: 'merge', body: { spec: { unschedulable: null } } } as const
    await this.#try(() => this.#options.kube.patch(nodes, { name }, patch, { signal }))
  }

  async #try(write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (!isKubeError(error, 'conflict', 'notFound')) throw error
      return false
    }
  }

  #tell(maintenance: NodeMaintenance, next: NodeMaintenanceStatus, outcome: MaintenanceOutcome | undefined): void {
    const { events } = this.#options
    const { status } = maintenance
    const isNew = (type: string) => conditionIsTrue(next.conditions, type) && !conditionIsTrue(status?.conditions, type)
    const begun = (next.stageStatuses ?? []).slice(status?.stageStatuses?.length ?? 0)
    for (const { name } of begun) events.record(stageStarted(maintenance, name))
    const isFirst = status?.drainStatus.reachedDrainTargets === undefined
    const older = outcome?.forwardedBy ?? []
    if (isFirst && next.drainStatus.reachedDrainTargets !== undefined && older.length > 0) {
      events.record(fastForwarded(maintenance, older))
    }
    if (isNew(drainedCondition)) events.record(drained(maintenance, next.drainStatus.drainMessage))
    if (isNew(completedCondition)) events.record(completed(maintenance))
  }
}
