import type { Pod } from '../../api/kubernetes/core.ts'

/** What the kubelet gives as the reason of pods that it ended for a shutdown, and of those that it then refused. */
const reasons: ReadonlySet<string> = new Set(['Terminated', 'NodeShutdown'])

/**
 * A pod that a shutdown of the kubelet's own left behind (kubernetes/kubernetes#98012): it runs nowhere, its controller
 * has made another one, and it stays. The kubelet sets the same condition on pods that it evicts because the node runs
 * out of something; those have a reason of their own, and stay for the admin to look into that.
 */
export function isLeftOver({ metadata, status }: Pod): boolean {
  if (status?.phase !== 'Failed' || metadata.deletionTimestamp !== undefined) return false
  if (!(metadata.ownerReferences ?? []).some(({ controller }) => controller === true)) return false
  const { reason = '', conditions = [] } = status
  const wasEndedByKubelet = conditions.some(
    (condition) =>
      condition.type === 'DisruptionTarget' &&
      condition.status === 'True' &&
      condition.reason === 'TerminationByKubelet',
  )
  return reasons.has(reason) || (reason === '' && wasEndedByKubelet)
}
