import type { Quantities, ResourceRequirements } from './scheduling.ts'
import { parseMilli } from './quantity.ts'

/** In thousandths, by resource. */
export type Amounts = ReadonlyMap<string, number>

/** The parts of a pod that say what it needs. */
export interface RequestingPod {
  readonly spec?: {
    readonly containers?: readonly RequestingContainer[]
    readonly initContainers?: readonly (RequestingContainer & { readonly restartPolicy?: string })[]
    readonly resources?: ResourceRequirements
    readonly overhead?: Quantities
  }
}

interface RequestingContainer {
  readonly resources?: ResourceRequirements
}

/**
 * What a pod takes of a node: its containers together, or the largest init container with the sidecars before it,
 * whichever is more. What the pod requests as a whole replaces that, and the overhead comes on top.
 */
export function requestsOf({ spec }: RequestingPod): Amounts {
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
  for (const [name, amount] of amountsOf(spec?.resources?.requests)) if (isOfPods(name)) requests.set(name, amount)
  return spec?.overhead === undefined ? requests : added(requests, amountsOf(spec.overhead))
}

/** A pod as a whole can request these alone: KEP-2837. */
const isOfPods = (resource: string) => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-')

export function amountsOf(requests: Quantities | undefined): Map<string, number> {
  return new Map(Object.entries(requests ?? {}).map(([name, quantity]) => [name, parseMilli(quantity)]))
}

function sumOf(containers: readonly RequestingContainer[] | undefined): Map<string, number> {
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
