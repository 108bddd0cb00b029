import type { Pod } from '../objects.ts'
import { parseMilli } from './quantity.ts'

/** In thousandths, by resource. */
export type Amounts = ReadonlyMap<string, number>

type Requests = Readonly<Record<string, string | number>> | undefined
type Containers = NonNullable<Pod['spec']>['containers']

/**
 * What a pod takes of a node: its containers together, or the largest init container with the sidecars before it,
 * whichever is more, and the overhead on top.
 */
export function requestsOf({ spec }: Pod): Amounts {
  const total = sumOf(spec?.containers)
  const sidecars = new Map<string, number>()
  const peak = new Map<string, number>()
  for (const container of spec?.initContainers ?? []) {
    const requests = amountsOf(container.resources?.requests)
    if (container.restartPolicy === 'Always') {
      for (const [name, amount] of requests) sidecars.set(name, (sidecars.get(name) ?? 0) + amount)
      keepLarger(peak, sidecars)
    } else {
      keepLarger(peak, added(requests, sidecars))
    }
  }
  const requests = added(total, sidecars)
  keepLarger(requests, peak)
  return spec?.overhead === undefined ? requests : added(requests, amountsOf(spec.overhead))
}

export function amountsOf(requests: Requests): Map<string, number> {
  return new Map(Object.entries(requests ?? {}).map(([name, quantity]) => [name, parseMilli(quantity)]))
}

function sumOf(containers: Containers): Map<string, number> {
  const sum = new Map<string, number>()
  for (const { resources } of containers ?? []) {
    for (const [name, quantity] of Object.entries(resources?.requests ?? {})) {
      sum.set(name, (sum.get(name) ?? 0) + parseMilli(quantity))
    }
  }
  return sum
}

function added(one: Amounts, other: Amounts): Map<string, number> {
  const sum = new Map(one)
  for (const [name, amount] of other) sum.set(name, (sum.get(name) ?? 0) + amount)
  return sum
}

function keepLarger(into: Map<string, number>, from: Amounts): void {
  for (const [name, amount] of from) into.set(name, Math.max(into.get(name) ?? 0, amount))
}
