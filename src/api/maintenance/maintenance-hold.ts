import { matchesDrainTargets } from './drain-targets.ts'
import type { Node, Pod } from '../kubernetes/core.ts'
import type { Anonymous } from '../kubernetes/meta.ts'
import { maintenanceStatusOf } from './maintenance-status.ts'
import { labels, schedulingGates } from '../names.ts'

/** What the maintenance of its node, if there is one, means for a pod. */
export type MaintenanceStanding =
  | { readonly kind: 'notUnderMaintenance' }
  | { readonly kind: 'withinTargets' }
  | { readonly kind: 'beyondTargets' }
  /** The annotation of the node says nothing that can be read. */
  | { readonly kind: 'unclear'; readonly problem: string }

export function maintenanceStandingOf(pod: Anonymous<Pod>, node: Node | undefined): MaintenanceStanding {
  const parsed = node === undefined ? ({ kind: 'absent' } as const) : maintenanceStatusOf(node)
  switch (parsed.kind) {
    case 'absent':
      return { kind: 'notUnderMaintenance' }
    case 'malformed':
      return { kind: 'unclear', problem: parsed.problem }
    case 'parsed':
      return { kind: matchesDrainTargets(pod, parsed.status.drainTargets) ? 'withinTargets' : 'beyondTargets' }
    default:
      return parsed satisfies never
  }
}

/** The node that a pod is on, or else the one that its DaemonSet made it for. */
export function intendedNodeOf({ spec }: Anonymous<Pod>): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    const named = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    if (named?.values?.length === 1) return named.values[0]
  }
  return undefined
}

/** By its gate: that is what keeps it from its node. */
export function isHeld({ spec }: Anonymous<Pod>): boolean {
  return spec?.schedulingGates?.some(({ name }) => name === schedulingGates.maintenance) ?? false
}

export const heldLabel = { key: labels.heldForMaintenance, value: 'true' } as const

/** A merge patch that lets the pod go. Gates are a list, so it is refused if the pod has changed meanwhile. */
export function releasingPatch(pod: Pod): object {
  const { uid, resourceVersion } = pod.metadata
  const gates = pod.spec?.schedulingGates?.filter(({ name }) => name !== schedulingGates.maintenance) ?? []
  return {
    metadata: { uid, resourceVersion, labels: { [heldLabel.key]: null } },
    ...(isHeld(pod) ? { spec: { schedulingGates: gates } } : {}),
  }
}
