import { timestamp } from '../../server/identity.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { Pod } from '../objects.ts'
import { ignoring, writeStatus } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { isFinished, withCondition } from '../pod-status.ts'

export interface DisruptionCause {
  readonly reason: 'DeletionByTaintManager' | 'DeletionByPodGC'
  readonly message: string
}

export function podsByNode({ store }: ControllerParts): ObjectGroups<'pods'> {
  return new ObjectGroups(store, 'pods', {
    by: ({ spec }) => spec,
    groupsOf: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]),
  })
}

export async function writeDisruption(parts: ControllerParts, pod: Pod, cause: DisruptionCause): Promise<void> {
  const condition = { type: 'DisruptionTarget', status: 'True', ...cause }
  const conditions = withCondition(pod.status?.conditions, condition, timestamp(parts.clock.nowMs()))
  await writeStatus(parts, 'pods', pod, { ...pod.status, conditions })
}

/** Takes away a pod that no kubelet will end. It has failed, whatever it was before. */
export async function forceDeletePod(parts: ControllerParts, pod: Pod, cause?: DisruptionCause): Promise<void> {
  if (!isFinished(pod)) {
    const now = timestamp(parts.clock.nowMs())
    const conditions =
      cause === undefined
        ? pod.status?.conditions
        : withCondition(pod.status?.conditions, { type: 'DisruptionTarget', status: 'True', ...cause }, now)
    const status = { ...pod.status, phase: 'Failed', ...(conditions === undefined ? {} : { conditions }) }
    await writeStatus(parts, 'pods', pod, status)
  }
  await deletePod(parts, pod, { gracePeriodSeconds: 0 })
}

export async function deletePod(
  { api }: ControllerParts,
  { metadata }: Pod,
  options: { readonly gracePeriodSeconds?: number } = {},
): Promise<void> {
  const preconditions = { uid: metadata.uid }
  await ignoring(['NotFound', 'Conflict'], api.delete('pods', nameOf(metadata), { ...options, preconditions }))
}
