import type { DaemonSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { Unnamed } from '../../api/kubernetes/meta.ts'

/**
 * The pod that the DaemonSet controller would create for the node, as far as admission can tell. It comes from the
 * template, not from the pod that is there: what admission put into that one might not be accepted a second time.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/daemon/util/daemonset_util.go
 */
export function buildNextPod({ metadata, spec }: DaemonSet, nodeName: string): Unnamed<Pod> {
  const { namespace, name, uid } = metadata
  const { labels = {}, annotations = {} } = spec?.template?.metadata ?? {}
  const template = spec?.template?.spec ?? { containers: [] }
  const nodeAffinity = template.affinity?.nodeAffinity
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }]
  // In place of what the template asks of nodes: the controller has seen that this one matches.
  const nodeSelectorTerms = [{ matchFields }]
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels,
      annotations,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true }],
    },
    spec: {
      ...template,
      affinity: {
        ...template.affinity,
        nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
      },
    },
  }
}
