import { evacuatorLimits } from '../../api/evacuation/evacuator.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { annotations } from '../../api/names.ts'

export type OptIn =
  | { readonly kind: 'none' }
  | { readonly kind: 'priority'; readonly priority: number }
  /** It says something that has no meaning, and counts as none. */
  | { readonly kind: 'invalid'; readonly message: string }

/** Below that of controllers: what the workload itself can do is preferred, unless the user says otherwise. */
export const priorityDefault = 9_000

/** Whether an autoscaler takes part in evacuations, and when its turn is. */
export function optInOf({ metadata }: HorizontalPodAutoscaler): OptIn {
  const value = metadata.annotations?.[annotations.autoscalerPriority]
  if (value === undefined) return { kind: 'none' }
  if (value === '' || value === 'true') return { kind: 'priority', priority: priorityDefault }
  const { priorityMin, priorityMax, controllerPriority } = evacuatorLimits
  const priority = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN
  const isAllowed = priority >= priorityMin && priority <= priorityMax && priority !== controllerPriority
  if (isAllowed) return { kind: 'priority', priority }
  const allowed = `must be a whole number from ${priorityMin} to ${priorityMax} other than ${controllerPriority}, which is the controllers', or true for ${priorityDefault}`
  const message = `metadata.annotations[${annotations.autoscalerPriority}] is ${JSON.stringify(value)}: it ${allowed}`
  return { kind: 'invalid', message }
}
