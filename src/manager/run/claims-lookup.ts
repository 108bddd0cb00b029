import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import { claimsOf, workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
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
}

const ownersFreshMs = 30_000

/**
 * Who claims a pod: the pods of a drain have few owners, and each of them is read once. What is read for many is not
 * given up when one of them stops waiting for it.
 */
export function claimsLookup({ kube, clock, gates, namespace, events }: ClaimsLookupOptions): ClaimsLookup {
  const builtIn = workloadEvacuatorsFor(gates, namespace)
  const recent = recentReads(kube, clock, ownersFreshMs)
  const tell = (event: ClusterEvent) => events.record(event)
  return (pod, { isFresh, signal }) =>
    isFresh
      ? claimsOf(builtIn, kube, pod, { signal, tell })
      : unlessAborted(claimsOf(builtIn, recent, pod, { tell }), signal)
}
