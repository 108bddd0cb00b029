import type { FeatureGates } from '../api/feature-gates.ts'
import { instigators } from '../api/names.ts'
import { podRefOf } from '../api/pod-reference.ts'
import { resolveEvacuators } from '../api/resolve-evacuators.ts'
import { requestEvacuation, withdrawEvacuation } from '../evacuators/instigator.ts'
import { claimsOf, workloadEvacuatorsFor } from '../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../kube/client.ts'
import type { ClusterEvent } from '../kube/cluster-event.ts'
import type { Instigation } from '../maintenance/instigation.ts'
import type { Clock } from '../runtime/clock.ts'
import { recentReads } from './recent-reads.ts'

export interface InstigationOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly gates: FeatureGates
  readonly events: { record(event: ClusterEvent): void }
}

const ownersFreshMs = 30_000

/**
 * How maintenances ask for evacuations. Lifeboat's own writes skip its webhook, so what that would put into an
 * Evacuation is in it from the start: the same evacuators by the same function, and the labels of the pod.
 */
export function maintenanceInstigation({ kube, clock, gates, events }: InstigationOptions): Instigation {
  const builtIn = workloadEvacuatorsFor(gates)
  const owners = recentReads(kube, clock, ownersFreshMs)
  const instigator = instigators.nodeMaintenance
  return {
    request: async (pod, signal) => {
      const claims = await claimsOf(builtIn, owners, pod, { signal, tell: (event) => events.record(event) })
      const evacuators = resolveEvacuators(pod, claims)
      // It would take its hold before anything else, which is one write more for every pod of a drain.
      const beginner = builtIn.find(({ evacuatorClass }) => evacuatorClass === evacuators[0]?.evacuatorClass)
      return requestEvacuation(kube, {
        instigator,
        pod: podRefOf(pod),
        evacuators,
        ...(beginner === undefined ? {} : { heldBy: beginner.evacuatorClass }),
        ...(pod.metadata.labels === undefined ? {} : { labels: pod.metadata.labels }),
        ...(pod.spec?.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
        signal,
      })
    },
    withdraw: (pod, signal) => withdrawEvacuation(kube, { instigator, pod, signal }),
  }
}
