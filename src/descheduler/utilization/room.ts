import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { onePod } from '../fit/node-fit.ts'
import type { Thresholds } from '../policy/policy.ts'
import type { NodeView } from '../view.ts'
import { capacityOf, countOf } from './percent.ts'
import type { UsedNode } from './usage.ts'

/** How far a node may be filled, in thousandths: its capacity, cut to the threshold where there is one. */
export function cappedCapacityOf(node: NodeView, thresholds: Thresholds, resource: string): number {
  const capacity = capacityOf(node, resource)
  if (capacity === undefined) return 0
  const threshold = Object.hasOwn(thresholds, resource) ? thresholds[resource] : undefined
  if (threshold === undefined) return capacity
  // In this order, as upstream multiplies: another order rounds otherwise.
  const capped = Math.trunc(threshold * 0.01 * countOf(resource, capacity))
  return resource === 'cpu' ? capped : capped * 1_000
}

/** What fits on all nodes together. A node that is too full takes away from the others. */
export function roomOn(
  nodes: readonly UsedNode[],
  thresholds: Thresholds,
  resources: readonly string[],
): Map<string, number> {
  const roomFor = (resource: string) =>
    nodes.reduce(
      (sum, { node, used }) => sum + cappedCapacityOf(node, thresholds, resource) - (used.get(resource) ?? 0),
      0,
    )
  return new Map(resources.map((resource) => [resource, roomFor(resource)]))
}

export function hasRoom(room: Amounts): boolean {
  for (const amount of room.values()) if (amount <= 0) return false
  return true
}

/** Uses more than it may of at least one resource. */
export function isOverfull({ node, used }: UsedNode, thresholds: Thresholds): boolean {
  return [...used].some(([resource, amount]) => amount > cappedCapacityOf(node, thresholds, resource))
}

/** A pod leaves the source and takes its room elsewhere. */
export function subtract(usage: Amounts, source: Map<string, number>, room: Map<string, number>): void {
  for (const resource of room.keys()) {
    const amount = resource === 'pods' ? onePod : (usage.get(resource) ?? 0)
    source.set(resource, difference(source.get(resource) ?? 0, amount))
    room.set(resource, difference(room.get(resource) ?? 0, amount))
  }
}

/** Cpu is measured in billionths. What floats add beyond them must not decide whether something is left. */
function difference(one: number, other: number): number {
  const exact = one - other
  return Number.isInteger(exact) ? exact : Math.round(exact * 1e6) / 1e6
}
