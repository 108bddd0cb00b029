import type { Node } from '../api/kubernetes/core.ts'
import { annotations } from '../api/names.ts'
import { isReadyNode, unhealthySince } from '../api/maintenance/unhealthy-node.ts'

const readiness = { ready: readinessOf('True'), unready: readinessOf('False') }

function readinessOf(status: 'True' | 'False'): NonNullable<Node['status']> {
  return { conditions: [{ type: 'Ready', status }] }
}

/** What is kept of a node: its name, whether it reports, and the taints by which Kubernetes deletes pods. */
export function slimNode(node: Node): Node {
  const { name, uid, resourceVersion, annotations: all } = node.metadata
  const noted = all?.[annotations.unhealthy]
  const taints = unhealthySince(node).map(({ taint: key, since: timeAdded }) => ({
    key,
    effect: 'NoExecute',
    timeAdded,
  }))
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(noted === undefined ? {} : { annotations: { [annotations.unhealthy]: noted } }),
    },
    ...(taints.length === 0 ? {} : { spec: { taints } }),
    status: isReadyNode(node) ? readiness.ready : readiness.unready,
  }
}

/** Whether there is something to do for it, or was until now. */
export function isConspicuous({ metadata, spec }: Node): boolean {
  return metadata.annotations !== undefined || spec?.taints !== undefined
}
