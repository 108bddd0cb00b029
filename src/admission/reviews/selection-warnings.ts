import type { Node } from '../../api/kubernetes/core.ts'

type Nodes = readonly Node[]

const controlPlaneLabel = 'node-role.kubernetes.io/control-plane'

export const selectionWarning = {
  allNodes:
    'spec.nodeSelector selects all nodes of the cluster: draining them may leave the cluster degraded and beyond recovery',
  allControlPlaneNodes:
    'spec.nodeSelector selects all control-plane nodes: draining them may leave the cluster degraded and beyond recovery',
  noNode: 'spec.nodeSelector selects no node: nothing happens until there is one that it selects',
} as const

/**
 * What an admin may not have meant. A maintenance that is in the stage Complete takes nothing away, and so cannot take
 * away too much.
 */
export function selectionWarnings(selected: Nodes, all: Nodes, stage: string): string[] {
  if (selected.length === 0) return [selectionWarning.noNode]
  if (stage === 'Complete') return []
  if (selected.length === all.length) return [selectionWarning.allNodes]
  const left = all.filter((node) => isControlPlane(node) && !selected.includes(node))
  return selected.some(isControlPlane) && left.length === 0 ? [selectionWarning.allControlPlaneNodes] : []
}

function isControlPlane({ metadata }: Node): boolean {
  return metadata.labels !== undefined && Object.hasOwn(metadata.labels, controlPlaneLabel)
}
