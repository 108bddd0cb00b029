import type { AdmissionRequest } from '../admission.ts'

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** What rules and reviews call the parts of a request. */
export interface RequestFacts {
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** Empty: the object itself. */
  readonly subresource: string
  /** A namespace counts as being in itself; what is in none has none. */
  readonly namespace: string | undefined
  /** Undefined while the server has still to make one up. */
  readonly name: string | undefined
}

export function factsOf(request: AdmissionRequest): RequestFacts {
  const { group, version, plural, kind, subresources } = request.definition
  const own = { group, version, kind }
  const sub = subresources.find(({ name }) => name === request.subresource)
  return {
    kind: sub === undefined ? own : { group: sub.group, version: sub.version, kind: sub.kind },
    resource: { group, version, resource: plural },
    subresource: request.subresource ?? '',
    namespace: group === '' && plural === 'namespaces' ? request.name : request.namespace,
    name: request.name,
  }
}

const policyKinds = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])
const webhookKinds = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'])

/** Webhooks judge none of the objects that configure admission: users could not remove one that refuses everything. */
export function isExemptFromWebhooks({ definition: { group, kind } }: AdmissionRequest): boolean {
  return group === 'admissionregistration.k8s.io' && (policyKinds.has(kind) || webhookKinds.has(kind))
}

/** Policies do not judge policies. */
export function isExemptFromPolicies({ definition: { group, kind } }: AdmissionRequest): boolean {
  return group === 'admissionregistration.k8s.io' && policyKinds.has(kind)
}

/** A client is told the same thing once. */
export function addWarning(warnings: string[], text: string): void {
  if (text !== '' && !warnings.includes(text)) warnings.push(text)
}
