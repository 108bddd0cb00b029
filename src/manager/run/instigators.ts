import type { FeatureGates } from '../../api/feature-gates.ts'
import { instigators } from '../../api/names.ts'
import { Instigator, type ClaimsLookup } from '../../evacuation-client/instigator.ts'
import { workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../../kube/client/client.ts'

export interface InstigatorParts {
  readonly kube: Kube
  readonly gates: FeatureGates
  /** Lifeboat's own. */
  readonly namespace: string
  readonly claims: ClaimsLookup
}

export function maintenanceInstigator(parts: InstigatorParts): Instigator {
  return instigatorOf(instigators.nodeMaintenance, parts)
}

export function deschedulerInstigator(parts: InstigatorParts): Instigator {
  return instigatorOf(instigators.descheduler, parts)
}

/**
 * For nodes that do not report. The owner's own pace counts then: built-in evacuators keep out of it, and those that the
 * pod itself names do not.
 */
export function taintEvictionInstigator(parts: Omit<InstigatorParts, 'claims'>): Instigator {
  return instigatorOf(instigators.taintEviction, { ...parts, claims: async () => [] })
}

function instigatorOf(name: string, { kube, gates, namespace, claims }: InstigatorParts): Instigator {
  const builtIn = new Set(workloadEvacuatorsFor(gates, namespace).map(({ evacuatorClass }) => evacuatorClass))
  return new Instigator(name, { kube, claims, takesHold: (evacuatorClass) => builtIn.has(evacuatorClass) })
}
