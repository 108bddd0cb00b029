import type { DaemonSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { OwnerReference } from '../../api/kubernetes/meta.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { intendedNodeOf } from '../../api/maintenance/maintenance-hold.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'

// A DaemonSet pod is deleted, past its budgets. A user who may patch a pod can write any annotation, label and owner
// into it, so none of them alone makes it one.

/**
 * The DaemonSet that the pod says it is of, if the DaemonSet controller made it: for its node, by an affinity that
 * cannot be changed any more. Undefined: it is of none.
 */
export function claimedDaemonSet(pod: Pod): OwnerReference | undefined {
  if (podTypeOf(pod) !== 'DaemonSet') return undefined
  if (!isMadeForItsNode(pod)) return undefined
  return pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** Terms are alternatives: each has to name the node, and by its name alone. */
function isMadeForItsNode(pod: Pod): boolean {
  const node = intendedNodeOf(pod)
  const { nodeAffinity } = pod.spec?.affinity ?? {}
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const isNamed = ({ matchFields = [] }: (typeof terms)[number]) =>
    matchFields.some(
      ({ key, operator, values = [] }) =>
        key === 'metadata.name' && operator === 'In' && values.length === 1 && values[0] === node,
    )
  return terms.length > 0 && terms.every(isNamed)
}

/** Whether the DaemonSet, as the API server has it, is the one that is claimed, and selects the pod. */
export function isPodOf(pod: Pod, daemonSet: DaemonSet): boolean {
  const { selector } = daemonSet.spec ?? {}
  return (
    daemonSet.metadata.uid === claimedDaemonSet(pod)?.uid &&
    selector !== undefined &&
    matchesLabelSelector(selector, pod.metadata.labels)
  )
}
