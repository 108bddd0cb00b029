import type { Pod } from '../kubernetes/core.ts'
import type { Anonymous } from '../kubernetes/meta.ts'
import { annotations } from '../names.ts'

// Pod Evict Policy: what a pod says about who takes it away, and how long that may take.

export const evictPolicies = ['Default', 'ControllerTakeOver'] as const

/** Whether the controller of a pod is to take it away, and is there to be asked. */
export function isTakenOver({ metadata }: Anonymous<Pod>): boolean {
  if (metadata.annotations?.[annotations.evictPolicy] !== 'ControllerTakeOver') return false
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false
}

export const evictTimeoutLimits = { minMs: 1_000, maxMs: 24 * 60 * 60_000 } as const
export const evictTimeoutAllowed = 'must be a duration from 1s to 24h, such as 90s, 5m or 1h30m'

/** Read the same way by CEL, whose regular expressions know all of this. */
export const evictTimeoutPattern = '^([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,5}s)?$'
const pattern = new RegExp(evictTimeoutPattern)
const unitsMs = [60 * 60_000, 60_000, 1_000]

/** How long the controller of a pod has to take it away, by the word of the pod; undefined: it says nothing of meaning. */
export function evictTimeoutMsOf({ metadata }: Anonymous<Pod>): number | undefined {
  const match = pattern.exec(metadata.annotations?.[annotations.evictTimeout] ?? '')
  if (match === null) return undefined
  const ms = unitsMs.reduce((sum, unitMs, at) => sum + unitMs * Number.parseInt(match[at + 1] ?? '0', 10), 0)
  return ms >= evictTimeoutLimits.minMs && ms <= evictTimeoutLimits.maxMs ? ms : undefined
}
