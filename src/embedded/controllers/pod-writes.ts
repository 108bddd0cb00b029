import type { New, OwnerReference, Unnamed } from '../../api/kubernetes/meta.ts'
import { ApiFailure } from '../server/failure.ts'
import type { ControllerParts } from './controller.ts'
import { recordEvent, type EventSubject } from './event-record.ts'
import type { Pod } from './objects.ts'
import { ignoring } from './outcome.ts'
import { nameOf } from './ownership.ts'
import { slowStart } from './slow-start.ts'

/** When pods that were refused are tried again: nothing reports when a quota or a webhook would accept them. */
export const refusedRetryMs = 2_000

export type Owner = EventSubject & { readonly component: string }

/** Makes pods for their controller. The answer is the refusal of the first that failed, if one did. */
export async function createPods(
  parts: ControllerParts,
  owner: Owner,
  pods: readonly (New<Pod> | Unnamed<Pod>)[],
): Promise<ApiFailure | undefined> {
  const failure = await slowStart(pods.length, async (index) => {
    const pod = pods[index]
    if (pod !== undefined) await parts.api.create('pods', pod)
  })
  if (failure === undefined) return undefined
  if (!(failure instanceof ApiFailure)) throw new Error('a pod could not be made', { cause: failure })
  // In a namespace that is about to go there is nothing to retry, and an Event is of no use.
  if (failure.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true) return undefined
  const message = `Error creating: ${failure.message}`
  await recordEvent(parts, owner, { type: 'Warning', reason: 'FailedCreate', message, component: owner.component })
  return failure
}

export async function deletePods({ api }: ControllerParts, pods: readonly Pod[]): Promise<void> {
  const deletions = pods.map(({ metadata }) => {
    const preconditions = { uid: metadata.uid }
    return ignoring(['NotFound', 'Conflict'], api.delete('pods', nameOf(metadata), { preconditions }))
  })
  await Promise.all(deletions)
}

export function ownerOf(reference: OwnerReference, metadata: EventSubject['metadata'], component: string): Owner {
  return { apiVersion: reference.apiVersion, kind: reference.kind, metadata, component }
}
