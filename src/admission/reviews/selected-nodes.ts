import type { Node } from '../../api/kubernetes/core.ts'
import { nodeMaintenanceSpecSchema } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector, type NodeSelector } from '../../api/kubernetes/node-selector.ts'
import { validateSchema } from '../../api/schema/validate-schema.ts'
import { recordOf } from './admission-request.ts'

type Nodes = readonly Node[]

const schema = nodeMaintenanceSpecSchema.properties.nodeSelector

export function selectorOf(maintenance: unknown): unknown {
  return recordOf(recordOf(maintenance)['spec'])['nodeSelector']
}

/** The nodes that a NodeMaintenance selects. A selector that we cannot read may mean any node, so it counts for all. */
export function selectedNodes(maintenance: unknown, nodes: Nodes): Nodes {
  if (maintenance === undefined) return []
  const selector = selectorOf(maintenance)
  if (validateSchema(schema, selector).length > 0) return nodes
  return nodes.filter((node) => matchesNodeSelector(selector as NodeSelector, node))
}
