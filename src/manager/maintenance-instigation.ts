import { instigators } from '../api/names.ts'
import { withdrawEvacuation } from '../evacuators/instigator.ts'
import type { Instigation } from '../maintenance/instigation.ts'
import { resolvedRequests, type ResolvedRequestParts } from './resolved-requests.ts'

/** How maintenances ask for evacuations. */
export function maintenanceInstigation(parts: ResolvedRequestParts): Instigation {
  const { kube } = parts
  const request = resolvedRequests(parts)
  const instigator = instigators.nodeMaintenance
  return {
    request: (pod, signal) => request(pod, { instigator, signal }),
    withdraw: (pod, signal) => withdrawEvacuation(kube, { instigator, pod, signal }),
  }
}
