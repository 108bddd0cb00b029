import {
  defaultDrainPlan,
  drainPlanLengthMax,
  withDefaultDrainPlan,
  type DrainPlanEntry,
} from '../../api/maintenance/drain-plan.ts'
import { podTypes } from '../../api/maintenance/pod-type.ts'
import { int32 } from '../../api/schema/schema.ts'

export interface ShutdownSettings {
  /** Complete the maintenance of a shutdown without an admin's help once the machine is back. */
  readonly completeAfterReboot: boolean
  /** Empty: the default plan. */
  readonly drainPlan: readonly DrainPlanEntry[]
}

export const defaultShutdownSettings: ShutdownSettings = { completeAfterReboot: false, drainPlan: [] }

/** The last priority adds no entry of its own, and the default entries need their place. */
export const prioritiesMax = Math.floor((drainPlanLengthMax - defaultDrainPlan.length) / podTypes.length) + 1

/**
 * The drain plan that follows the priorities of the kubelet's shutdownGracePeriodByPodPriority, without its seconds
 * (KEP-4212). The kubelet's group of priority p has the pods from p up to the next one, and the first group also those
 * below; an entry of a plan names the highest priority that it takes. Empty: the default plan.
 */
export function planOfPriorities(priorities: readonly number[]): DrainPlanEntry[] {
  if (priorities.length === 0) return []
  const highest = priorities
    .toSorted((a, b) => a - b)
    .slice(1)
    .map((next) => next - 1)
  const own = podTypes.flatMap((podType) =>
    [...highest, int32.maximum].map((podPriority) => ({ podPriority, podType })),
  )
  return withDefaultDrainPlan(own)
}
