import { evacuationType, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { withoutMark } from '../../api/evacuation/finished-mark.ts'
import { noteOfNode } from '../../api/evacuation/evacuated-from.ts'
import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import { intentsOf } from '../../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { finalizers } from '../../api/names.ts'
import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import { resolveEvacuators } from '../../api/evacuation/resolve-evacuators.ts'
import { validateEvacuation } from '../../api/schema/validate-evacuation.ts'
import { recordOf, textsOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, invalid, type Allowed, type Answer, type PatchOperation } from './answer.ts'
import type { Lookups } from './lookups.ts'
import { missingRight, podOfRequest } from '../rights/missing-right.ts'
import type { PodDeletionRight } from '../rights/pod-deletion-right.ts'

export const noIntentWarning = `the Evacuation has no instigator finalizer, so it is cancelled at once: add ${finalizers.instigatorPrefix}SUBDOMAIN of who wants the pod gone to metadata.finalizers`

/**
 * The creation of an Evacuation: the caller must be allowed to delete its pod; the pod must be there, and says who
 * evacuates it and how it is labelled. One call to the webhook for all of it: a drain creates Evacuations by the hundred.
 */
export async function mutateEvacuation(
  request: AdmissionRequest,
  parts: {
    readonly lookups: Pick<Lookups, 'pod'>
    readonly claims: ClaimsLookup
    readonly mayDeletePod: PodDeletionRight
  },
  signal: AbortSignal,
): Promise<Answer> {
  // Without a pod the schema has the better words.
  if (podOfRequest(request) === undefined) return allowed
  const denied = await missingRight(request, parts.mayDeletePod, signal)
  if (denied !== undefined) return denied
  const evacuation = parseNewEvacuation(request.object)
  if (evacuation === undefined) return allowed
  const { podRef } = evacuation.spec
  const pod = await parts.lookups.pod({ namespace: request.namespace, name: podRef.name }, signal)
  if (pod === undefined) return invalid(missingPod(request.namespace, podRef.name))
  if (pod.metadata.uid !== podRef.uid) return invalid(otherPod(pod, podRef.uid))
  // Its evacuators cannot be changed later, and a user who has just changed the workload expects that to count.
  return completeEvacuation(evacuation, pod, await parts.claims(pod, { isFresh: true, signal }))
}

/**
 * Undefined for what the schema refuses anyway, whose words are then those that the client gets. The status is no part
 * of that: the API server drops it before it looks at the schema, so a bad one must not be a way around this review.
 */
function parseNewEvacuation(object: unknown): Evacuation | undefined {
  const { status: _dropped, ...rest } = recordOf(object)
  if (validateEvacuation({ ...evacuationType, ...rest }).length > 0) return undefined
  const { labels, annotations, finalizers: holders, ...metadata } = recordOf(rest['metadata'])
  // Our schema has nothing to say about these three.
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(labels ? { labels: recordOf(labels) } : {}),
      ...(annotations ? { annotations: recordOf(annotations) } : {}),
      finalizers: textsOf(holders),
    },
  } as unknown as Evacuation
}

/** What the pod has to say about its Evacuation. */
export function completeEvacuation(evacuation: Evacuation, pod: Pod, claims: readonly Evacuator[]): Allowed {
  const { labels } = evacuation.metadata
  const merged = { ...labels, ...withoutMark(pod.metadata.labels ?? {}) }
  const given = evacuation.spec.evacuators ?? []
  const evacuators = resolveEvacuators(pod, claims, given)
  const notes = evacuation.metadata.annotations ?? {}
  const noted = { ...notes, ...noteOfNode(pod) }
  const patch: PatchOperation[] = [
    ...(isSame(noted, notes) ? [] : [{ op: 'add', path: '/metadata/annotations', value: noted } as const]),
    ...(isSame(merged, labels ?? {}) ? [] : [{ op: 'add', path: '/metadata/labels', value: merged } as const]),
    ...(isSame(evacuators, given) ? [] : [{ op: 'add', path: '/spec/evacuators', value: evacuators } as const]),
  ]
  const intents = intentsOf({ ...evacuation, spec: { ...evacuation.spec, evacuators } })
  return { allowed: true, patch, warnings: intents.length === 0 ? [noIntentWarning] : [] }
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function missingPod(namespace: string, name: string): string {
  const allowedNames = `must be a pod in the namespace of the Evacuation, and there is no such pod in ${namespace}`
  return renderFieldProblem({ field: 'spec.podRef.name', value: name, allowed: allowedNames })
}

function otherPod({ metadata }: Pod, uid: string): string {
  const allowedUids = `must be the UID of the pod, and the pod ${metadata.name} has ${metadata.uid}`
  return renderFieldProblem({ field: 'spec.podRef.uid', value: uid, allowed: allowedUids })
}
