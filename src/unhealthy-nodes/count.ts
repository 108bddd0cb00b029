import type { Node } from '../api/kubernetes/core.ts'
import { annotations } from '../api/names.ts'
import { unhealthyTaints, type UnhealthySince } from '../api/maintenance/unhealthy-node.ts'

// From when Kubernetes counts how long the pods of a node tolerate that it does not report.

/** Stands on the node: the first taint, and the one that took its place, by which a restarted count is recognized. */
export interface Count extends UnhealthySince {
  readonly swapped?: UnhealthySince
}

/**
 * Not-ready that becomes unreachable is a new taint with a new time, and Kubernetes counts on from the first. The same
 * taint with a new time was off in between, as when kube-controller-manager starts, and Kubernetes counts again.
 */
export function countOf(present: readonly UnhealthySince[], noted: Count | undefined): Count | undefined {
  const [oldest] = present
  if (oldest === undefined) return undefined
  if (noted === undefined) return oldest
  const last = noted.swapped ?? noted
  const same = present.find(({ taint }) => taint === last.taint)
  if (same === undefined) return { taint: noted.taint, since: noted.since, swapped: oldest }
  return same.since === last.since ? noted : oldest
}

export function isSameCount(one: Count | undefined, other: Count | undefined): boolean {
  return renderCount(one) === renderCount(other)
}

export function renderCount(count: Count | undefined): string | null {
  if (count === undefined) return null
  const { taint, since, swapped } = count
  return JSON.stringify({ taint, since, ...(swapped === undefined ? {} : { swapped: sinceOf(swapped) }) })
}

/** Undefined: nothing is noted, or nothing of meaning. */
export function notedCount({ metadata }: Node): Count | undefined {
  const text = metadata.annotations?.[annotations.unhealthy]
  if (text === undefined) return undefined
  try {
    const { swapped, ...first } = JSON.parse(text) as Record<string, unknown>
    if (!isSince(first) || (swapped !== undefined && !isSince(swapped))) return undefined
    return { ...sinceOf(first), ...(swapped === undefined ? {} : { swapped: sinceOf(swapped) }) }
  } catch {
    return undefined
  }
}

function sinceOf({ taint, since }: UnhealthySince): UnhealthySince {
  return { taint, since }
}

function isSince(value: unknown): value is UnhealthySince {
  const { taint, since } = (value ?? {}) as Partial<Record<keyof UnhealthySince, unknown>>
  return unhealthyTaints.some((known) => known === taint) && !Number.isNaN(Date.parse(String(since)))
}
