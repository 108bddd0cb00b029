import type { FeatureGates } from '../api/feature-gates.ts'
import { instigators } from '../api/names.ts'
import { podRefOf } from '../api/pod-reference.ts'
import { resolveEvacuators } from '../api/resolve-evacuators.ts'
import { requestEvacuation, withdrawEvacuation } from '../evacuators/instigator.ts'
import { workloadEvacuatorsFor } from '../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../kube/client.ts'
import type { ClaimsLookup } from '../evacuation/claims.ts'
import type { Instigation } from '../maintenance/instigation.ts'

export interface InstigationOptions {
  readonly kube: Kube
  readonly gates: FeatureGates
  readonly claims: ClaimsLookup
}

/**
 * How maintenances ask for evacuations. Lifeboat's own writes skip its webhook, so what that would put into an
 * Evacuation is in it from the start: the same evacuators by the same function, and the labels of the pod.
 */
export function maintenanceInstigation({ kube, gates, claims }: InstigationOptions): Instigation {
  const builtIn = workloadEvacuatorsFor(gates)
  const instigator = instigators.nodeMaintenance
  return {
    request: async (pod, signal) => {
      const evacuators = resolveEvacuators(pod, await claims(pod, { isFresh: false, signal }))
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
