import type { Thresholds } from '../policy/policy.ts'
import type { Percentages } from './percent.ts'

/** In percent, by resource. */
export interface Borders {
  readonly under: Thresholds
  readonly over: Thresholds
}

/** Thresholds that are distances from the mean become borders. A resource that no node knows has no border. */
export function bordersAround(nodes: readonly Percentages[], distances: Borders): Borders {
  const under: Record<string, number> = {}
  const over: Record<string, number> = {}
  for (const [resource, below] of Object.entries(distances.under)) {
    const mean = meanOf(nodes, resource)
    if (mean === undefined) continue
    under[resource] = clamp(mean - below)
    over[resource] = clamp(mean + (distances.over[resource] ?? 0))
  }
  return { under, over }
}

function meanOf(nodes: readonly Percentages[], resource: string): number | undefined {
  let sum = 0
  let count = 0
  for (const percentages of nodes) {
    const percent = percentages.get(resource)
    if (percent === undefined) continue
    sum += percent
    count += 1
  }
  return count === 0 ? undefined : sum / count
}

const clamp = (percent: number) => Math.min(Math.max(percent, 0), 100)

/** At least one resource is above. A resource that the node knows nothing of counts as unused. */
export function isAbove(percentages: Percentages, thresholds: Thresholds): boolean {
  return Object.entries(thresholds).some(([resource, threshold]) => (percentages.get(resource) ?? 0) > threshold)
}
