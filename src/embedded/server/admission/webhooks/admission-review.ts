import type { AdmissionRequest } from '../admission.ts'
import { factsOf } from './request-facts.ts'

const reviewKind = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

export interface AdmissionReview {
  readonly apiVersion: string
  readonly kind: string
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string }
}

/** All that a review says of a request but its UID and its objects. Fields that are empty are left out, as Go does. */
export function buildRequest(request: AdmissionRequest, version: string): Record<string, unknown> {
  const { kind, resource, subresource, namespace, name } = factsOf(request)
  const { user, operation, dryRun, options } = request
  const hasOwnKind = kind.group === resource.group && kind.version === resource.version
  return {
    kind: hasOwnKind ? { ...kind, version } : kind,
    resource: { ...resource, version },
    ...textOf('subResource', subresource),
    requestKind: kind,
    requestResource: resource,
    ...textOf('requestSubResource', subresource),
    ...textOf('name', name),
    ...textOf('namespace', namespace),
    operation,
    userInfo: {
      username: user.name,
      ...textOf('uid', user.uid),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra ?? {}).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: options ?? null,
  }
}

export function buildReview(request: AdmissionRequest, version: string, uid: string): AdmissionReview {
  const { object, oldObject } = request
  const { group } = request.definition
  const inVersion = (value: AdmissionRequest['object']) =>
    value === undefined || version === request.definition.version
      ? (value ?? null)
      : { ...value, apiVersion: `${group}/${version}` }
  return {
    ...reviewKind,
    request: {
      uid,
      ...buildRequest(request, version),
      object: inVersion(object),
      oldObject: inVersion(oldObject),
    },
  }
}

function textOf(field: string, text: string | undefined): Record<string, string> {
  return text === undefined || text === '' ? {} : { [field]: text }
}

export interface ReviewResult {
  readonly allowed: boolean
  readonly status: ReviewStatus
  readonly warnings: readonly string[]
  /** Base64 of a JSON patch; empty if there is none. */
  readonly patch: string
  readonly patchType: string | undefined
}

export interface ReviewStatus {
  readonly code?: number
  readonly message?: string
  readonly reason?: string
  readonly details?: object
}

/** The webhook answered something that is no answer. */
export class InvalidReview extends Error {
  override readonly name = 'InvalidReview'
}

interface Answer {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly response?: {
    readonly uid?: unknown
    readonly allowed?: unknown
    readonly status?: ReviewStatus | null
    readonly warnings?: readonly unknown[] | null
    readonly patch?: unknown
    readonly patchType?: unknown
  } | null
}

/** Checks an answer as the real server does, in its order and its words. Throws an InvalidReview. */
export function parseReview(answer: unknown, uid: string, webhook: 'mutating' | 'validating'): ReviewResult {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new InvalidReview('webhook response was absent')
  const { apiVersion, kind, response } = answer as Answer
  if (response === undefined || response === null) throw new InvalidReview('webhook response was absent')
  const textual = (value: unknown) => (typeof value === 'string' ? value : '')
  if (response.uid !== uid)
    throw new InvalidReview(`expected response.uid="${uid}", got ${JSON.stringify(textual(response.uid))}`)
  if (apiVersion !== reviewKind.apiVersion || kind !== reviewKind.kind) {
    const shown = `${textual(apiVersion) || '/'}, Kind=${textual(kind)}`
    throw new InvalidReview(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${shown}`)
  }
  const patch = textual(response.patch)
  const patchType = typeof response.patchType === 'string' ? response.patchType : undefined
  checkPatch(patch, patchType, webhook)
  return {
    allowed: response.allowed === true,
    status: response.status ?? {},
    warnings: (response.warnings ?? []).map(textual),
    patch,
    patchType,
  }
}

function checkPatch(patch: string, patchType: string | undefined, webhook: 'mutating' | 'validating'): void {
  if (webhook === 'validating') {
    if (patch !== '') throw new InvalidReview('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new InvalidReview('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === undefined)
    throw new InvalidReview('webhook returned response.patch but not response.patchType')
  if (patch === '' && patchType !== undefined)
    throw new InvalidReview('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw new InvalidReview('webhook returned invalid response.patchType of ""')
}
