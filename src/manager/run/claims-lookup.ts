import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import { claimsOf, workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
import type { WorkloadCaches } from '../../evacuators/workload/workload-caches.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { Clock } from '../../runtime/clock.ts'
import { recentReads } from './recent-reads.ts'

export interface ClaimsLookupOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly gates: FeatureGates
  readonly namespace: string
  readonly events: { record(event: ClusterEvent): void }
  /** What is followed of owners, as far as it is. */
  readonly owners?: Pick<WorkloadCaches, 'peek'>
}

const ownersFreshMs = 30_000

/**
 * Who claims a pod: the pods of a drain have few owners, and each of them is read once, or not at all while evacuators
 * follow it. What is read for many is not given up when one of them stops waiting for it.
 */
export function claimsLookup(options: ClaimsLookupOptions): ClaimsLookup {
  const { kube, clock, gates, namespace, events, owners } = options
  const builtIn = workloadEvacuatorsFor(gates, namespace)
  const recent = recentReads(kube, clock, ownersFreshMs)
  const known: typeof recent = {
    get: async (resource, key, callOptions) => owners?.peek(resource, key) ?? recent.get(resource, key, callOptions),
    list: recent.list,
  }
  const tell = (event: ClusterEvent) => events.record(event)
  return (pod, { isFresh, signal }) =>
    isFresh
      ? claimsOf(builtIn, kube, pod, { signal, tell })
      : unlessAborted(claimsOf(builtIn, known, pod, { tell }), signal)
}
