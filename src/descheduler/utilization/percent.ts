import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import type { NodeView } from '../view.ts'

/** Stands for whatever a Prometheus query measures. Its unit is a percent, so every node has 100 of it. */
export const metricResource = 'MetricResource'

/** By resource. */
export type Percentages = ReadonlyMap<string, number>

/** Upstream computes with thousandths of a cpu and with whole units of all else, rounded up. */
export function countOf(resource: string, amount: number): number {
  return resource === 'cpu' ? amount : Math.ceil(amount / 1_000)
}

/** In thousandths; undefined: the node knows nothing of the resource. */
export function capacityOf({ allocatable, capacity }: NodeView, resource: string): number | undefined {
  if (resource === metricResource) return 100_000
  return (allocatable.size > 0 ? allocatable : capacity).get(resource)
}

/** Without the resources that the node knows nothing of. */
export function percentagesOf(node: NodeView, used: Amounts): Percentages {
  const percentages = new Map<string, number>()
  for (const [resource, amount] of used) {
    const capacity = capacityOf(node, resource)
    if (capacity !== undefined) percentages.set(resource, percentOf(resource, amount, capacity))
  }
  return percentages
}

function percentOf(resource: string, used: number, capacity: number): number {
  const whole = countOf(resource, capacity)
  return whole > 0 ? (countOf(resource, used) / whole) * 100 : 0
}
