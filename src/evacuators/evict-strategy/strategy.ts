import type { NumberOrPercent, ReplicaSet } from '../../api/kubernetes/apps.ts'
import { annotations } from '../../api/names.ts'
import { resolveNumberOrPercent } from '../../api/kubernetes/number-or-percent.ts'

export type EvictStrategy =
  | { readonly kind: 'none' }
  | { readonly kind: 'paced'; readonly maxUnavailable: NumberOrPercent }
  /** It says something that has no meaning, and counts as none. */
  | { readonly kind: 'invalid'; readonly message: string }

/** Whether a ReplicaSet deletes its own pods when an evictor asks for them, and how many at once. */
export function strategyOf({ metadata }: ReplicaSet): EvictStrategy {
  const value = metadata.annotations?.[annotations.evictStrategy]
  if (value === undefined) return { kind: 'none' }
  const maxUnavailable = maxUnavailableIn(value)
  if (isPace(maxUnavailable)) return { kind: 'paced', maxUnavailable }
  const example = '{"maxUnavailable":1} or {"maxUnavailable":"10%"}'
  const message = `metadata.annotations[${annotations.evictStrategy}] is ${JSON.stringify(value)}: it must be JSON with maxUnavailable, a whole number from 1 or a percentage from 1%, as in ${example}`
  return { kind: 'invalid', message }
}

/** Rounded down, as maxUnavailable of a Deployment is, but never to none: that would be no strategy. */
export function unavailableMax(maxUnavailable: NumberOrPercent, replicas: number): number {
  return Math.max(1, resolveNumberOrPercent(maxUnavailable, replicas, 'down') ?? 1)
}

function maxUnavailableIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)['maxUnavailable']
      : undefined
  } catch {
    return undefined
  }
}

function isPace(value: unknown): value is NumberOrPercent {
  if (typeof value !== 'number' && typeof value !== 'string') return false
  return (resolveNumberOrPercent(value, 100, 'down') ?? 0) > 0
}
