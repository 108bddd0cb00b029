import { conflict, notFound } from '../failure.ts'
import { timestamp } from '../identity.ts'
import { keyOf, type Stored } from '../store.ts'
import type { NamespacedObjectRequest, ServerParts } from './context.ts'

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

interface Binding {
  readonly target?: { readonly name?: string }
}

/** POST …/pods/NAME/binding: what the scheduler does to a pod, once. */
export async function bindPod({ store, clock }: ServerParts, target: NamespacedObjectRequest): Promise<unknown> {
  const { request, name, dryRun } = target
  const resource = { group: '', plural: 'pods' }
  const key = keyOf(target)
  const pod = store.get('pods', key)
  if (pod === undefined) throw notFound(resource, name)
  const { target: node } = (request.body ?? {}) as Binding
  const spec = (pod['spec'] ?? {}) as { nodeName?: string; schedulingGates?: readonly unknown[] }
  const subject = { group: '', plural: 'pods/binding' }
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(subject, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if (spec.nodeName !== undefined && spec.nodeName !== '')
    throw conflict(subject, name, `pod ${name} is already assigned to node "${spec.nodeName}"`)
  if ((spec.schedulingGates ?? []).length > 0)
    throw conflict(subject, name, `pod ${name} has non-empty .spec.schedulingGates`)
  if (!dryRun) store.put('pods', key, bound(pod, node?.name, timestamp(clock.nowMs())))
  return success
}

function bound(pod: Stored, nodeName: string | undefined, now: string): Stored {
  const status = (pod['status'] ?? {}) as { conditions?: readonly { type: string }[] }
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  return {
    ...pod,
    spec: { ...(pod['spec'] as object), ...(nodeName === undefined ? {} : { nodeName }) },
    status: { ...status, conditions: [...others, scheduled] },
  }
}
