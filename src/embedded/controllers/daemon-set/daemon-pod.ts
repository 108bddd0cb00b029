import type { Unnamed } from '../../../api/kubernetes/meta.ts'
import { buildPod } from '../build-pod.ts'
import type { Toleration } from '../../../api/kubernetes/scheduling.ts'
import type { DaemonSet, Node, Pod, PodTemplate } from '../objects.ts'
import { controllerReference } from '../ownership.ts'
import { revisionLabel } from '../revisions.ts'
import { matchesNode } from '../scheduler/node-match.ts'
import { findUntolerated, taintKeys } from '../../../api/kubernetes/taints.ts'

export const daemonSetKind = { apiVersion: 'apps/v1', kind: 'DaemonSet' }

/** A daemon stays when its node has trouble; that is what it is for. */
const defaultTolerations: readonly Toleration[] = [
  { key: taintKeys.notReady, operator: 'Exists', effect: 'NoExecute' },
  { key: taintKeys.unreachable, operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: taintKeys.unschedulable, operator: 'Exists', effect: 'NoSchedule' },
]
const networkToleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }

export function tolerationsOf({ spec }: PodTemplate): readonly Toleration[] {
  const own = spec?.tolerations ?? []
  return [...own, ...defaultTolerations, ...(spec?.hostNetwork === true ? [networkToleration] : [])]
}

export function buildDaemonPod(daemonSet: DaemonSet, nodeName: string, hash: string): Unnamed<Pod> {
  const template = daemonSet.spec?.template ?? {}
  const { namespace, name, generation = 1 } = daemonSet.metadata
  const spec = { ...template.spec, affinity: affinityTo(template, nodeName), tolerations: tolerationsOf(template) }
  return buildPod(
    { ...template, spec },
    {
      namespace,
      namePrefix: name,
      owner: controllerReference(daemonSetKind, daemonSet.metadata),
      labels: { [revisionLabel]: hash, 'pod-template-generation': String(generation) },
    },
  )
}

/** Whatever terms the template has, each gets the node in place of its own fields, as upstream does it. */
function affinityTo({ spec }: PodTemplate, nodeName: string): object {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }]
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const nodeSelectorTerms =
    terms.length === 0 ? [{ matchFields }] : terms.map((term) => Object.assign({}, term, { matchFields }))
  const nodeAffinity = {
    ...spec?.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  }
  return { ...spec?.affinity, nodeAffinity }
}

/** The node that a pod is on, or, unscheduled or held by a gate, the one that it is meant for. */
export function targetNode({ spec }: Pod): string {
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms) {
    const named = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    if (named?.values[0] !== undefined) return named.values[0]
  }
  return ''
}

export type Placement = 'run' | 'stay' | 'leave'

/** Whether a daemon belongs on a node. `stay`: what is there stays, but nothing new comes. */
export function placementOn({ spec }: DaemonSet, node: Node): Placement {
  const template = spec?.template ?? {}
  if (!matchesNode(template, node)) return 'leave'
  const tolerations = tolerationsOf(template)
  if (findUntolerated(node.spec?.taints, tolerations, ['NoExecute']) !== undefined) return 'leave'
  return findUntolerated(node.spec?.taints, tolerations, ['NoSchedule']) === undefined ? 'run' : 'stay'
}
