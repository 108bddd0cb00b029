import { conflict, notFound } from '../failure.ts'
import { timestamp } from '../identity.ts'
import { keyOf, type Stored } from '../store.ts'
import type { ResourceRequest, ServerParts } from './context.ts'

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

interface Binding {
  readonly target?: { readonly name?: string }
}

/** POST …/pods/NAME/binding: what the scheduler does to a pod, once. */
export async function bindPod(
  { store, clock }: ServerParts,
  { request, name = '', namespace = '', dryRun }: ResourceRequest,
): Promise<unknown> {
  const resource = { group: '', plural: 'pods' }
  const key = keyOf({ name, namespace })
  const pod = store.get('pods', key)
  if (pod === undefined) throw notFound(resource, name)
  const nodeName = (request.body as Binding | undefined)?.target?.name ?? ''
  const spec = (pod['spec'] ?? {}) as { nodeName?: string; schedulingGates?: readonly unknown[] }
  const subject = { group: '', plural: 'pods/binding' }
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(subject, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if (spec.nodeName !== undefined && spec.nodeName !== '')
    throw conflict(subject, name, `pod ${name} is already assigned to node "${spec.nodeName}"`)
  if ((spec.schedulingGates ?? []).length > 0)
    throw conflict(subject, name, `pod ${name} has non-empty .spec.schedulingGates`)
  if (!dryRun) store.put('pods', key, bound(pod, nodeName, timestamp(clock.nowMs())))
  return success
}

function bound(pod: Stored, nodeName: string, now: string): Stored {
  const status = (pod['status'] ?? {}) as { conditions?: readonly { type: string }[] }
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  return {
    ...pod,
    spec: { ...(pod['spec'] as object), nodeName },
    status: { ...status, conditions: [...others, scheduled] },
  }
}
