import type { Node } from '../../api/kubernetes/core.ts'

type Nodes = readonly Node[]

const controlPlaneLabel = 'node-role.kubernetes.io/control-plane'

export const selectionWarning = {
  allNodes:
    'spec.nodeSelector selects all nodes of the cluster: draining them may leave the cluster degraded and beyond recovery',
  allControlPlaneNodes:
    'spec.nodeSelector selects all control-plane nodes: draining them may leave the cluster degraded and beyond recovery',
  uncordons:
    'the maintenance was never at stage Cordon or Drain: to complete it makes all selected nodes schedulable that are under no other maintenance, also those that were cordoned by hand',
  noNode: 'spec.nodeSelector selects no node: nothing happens until there is one that it selects',
} as const

/** A stage, and the one before it where there was one. */
export interface StageChange {
  readonly from: string | undefined
  readonly to: string
}

/**
 * What an admin may not have meant. A maintenance that is in the stage Complete takes nothing away, and so cannot take
 * away too much. It may uncordon too much: KEP-4212 has all selected nodes schedulable, and only after Cordon or Drain
 * is it known which of them were cordoned before.
 */
export function selectionWarnings(selected: Nodes, all: Nodes, { from, to }: StageChange): string[] {
  if (selected.length === 0) return [selectionWarning.noNode]
  if (to === 'Complete') return from === undefined || from === 'Idle' ? [selectionWarning.uncordons] : []
  if (selected.length === all.length) return [selectionWarning.allNodes]
  const left = all.filter((node) => isControlPlane(node) && !selected.includes(node))
  return selected.some(isControlPlane) && left.length === 0 ? [selectionWarning.allControlPlaneNodes] : []
}

function isControlPlane({ metadata }: Node): boolean {
  return metadata.labels !== undefined && Object.hasOwn(metadata.labels, controlPlaneLabel)
}
