import type { Node } from '../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { isActive } from './plan/active.ts'

/** Whether something has changed by which it holds nodes, or lets them go. */
export function changesHold({ object, previous }: Extract<Change<NodeMaintenance>, { kind: 'updated' }>): boolean {
  return (
    object.metadata.generation !== previous.metadata.generation ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    isActive(object) !== isActive(previous)
  )
}

/** Whether other maintenances may select the node now, or say something else of it. */
export function changesSelection({ object, previous }: Extract<Change<Node>, { kind: 'updated' }>): boolean {
  return (
    JSON.stringify(object.metadata.labels) !== JSON.stringify(previous.metadata.labels) ||
    object.spec?.unschedulable !== previous.spec?.unschedulable
  )
}
