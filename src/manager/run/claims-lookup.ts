import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import { claimsOf, workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
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

/** Who claims a pod, for every controller: the pods of a drain have few owners, and each of them is read once. */
export function claimsLookup({ kube, clock, gates, namespace, events }: ClaimsLookupOptions): ClaimsLookup {
  const builtIn = workloadEvacuatorsFor(gates, namespace)
  const recent = recentReads(kube, clock, ownersFreshMs)
  return (pod, { isFresh, signal }) =>
    claimsOf(builtIn, isFresh ? kube : recent, pod, { signal, tell: (event) => events.record(event) })
}
