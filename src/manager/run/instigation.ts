import type { Instigation } from '../../api/evacuation/instigation.ts'
import { instigators } from '../../api/names.ts'
import { withdrawEvacuation } from '../../evacuators/instigator.ts'
import { resolvedRequests, type ResolvedRequestParts } from './resolved-requests.ts'

/** How maintenances ask for evacuations. */
export function maintenanceInstigation(parts: ResolvedRequestParts): Instigation {
  return instigationOf(instigators.nodeMaintenance, parts)
}

/**
 * How evacuations are asked for because a node does not report. The owner's own pace counts then: built-in evacuators
 * keep out of it, and those that the pod itself names do not.
 */
export function taintEvictionInstigation(parts: Omit<ResolvedRequestParts, 'claims'>): Instigation {
  return instigationOf(instigators.taintEviction, { ...parts, claims: async () => [] })
}

function instigationOf(instigator: string, parts: ResolvedRequestParts): Instigation {
  const request = resolvedRequests(parts)
  return {
    request: (pod, signal) => request(pod, { instigator, signal }),
    withdraw: (pod, signal) => withdrawEvacuation(parts.kube, { instigator, pod, signal }),
  }
}
