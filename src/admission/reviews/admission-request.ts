import type { OwnerReference } from '../../api/kubernetes/meta.ts'

/** The part of an AdmissionReview that the API server fills in. The objects may be anything: they are parsed later. */
export interface AdmissionRequest {
  readonly uid: string
  readonly operation: Operation
  readonly resource: { readonly group: string; readonly resource: string }
  readonly subResource: string
  /** Empty for objects whose name is not known yet, and for each object of a deleted collection. */
  readonly name: string
  readonly namespace: string
  readonly userInfo: UserInfo
  readonly dryRun: boolean
  readonly object: unknown
  readonly oldObject: unknown
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** What was sent is no review: nothing that an API server does. */
export class BadReview extends Error {
  override readonly name = 'BadReview'
}

const operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] satisfies Operation[]

/** Throws a BadReview. */
export function parseAdmissionReview(review: unknown): AdmissionRequest {
  const { apiVersion, kind, request } = recordOf(review)
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    throw new BadReview('the body must be an AdmissionReview of admission.k8s.io/v1')
  }
  const { uid, operation, resource, userInfo, ...rest } = recordOf(request)
  if (typeof uid !== 'string' || uid === '') throw new BadReview('request.uid is missing: must be a text')
  if (typeof operation !== 'string' || !operations.includes(operation)) {
    throw new BadReview(`request.operation is ${JSON.stringify(operation)}: must be one of ${operations.join(', ')}`)
  }
  const { group, resource: plural } = recordOf(resource)
  return {
    uid,
    operation: operation as Operation,
    resource: { group: textOf(group), resource: textOf(plural) },
    subResource: textOf(rest['subResource']),
    name: textOf(rest['name']),
    namespace: textOf(rest['namespace']),
    userInfo: parseUser(userInfo),
    dryRun: rest['dryRun'] === true,
    object: rest['object'] ?? undefined,
    oldObject: rest['oldObject'] ?? undefined,
  }
}

function parseUser(userInfo: unknown): UserInfo {
  const { username, uid, groups, extra } = recordOf(userInfo)
  const entries = Object.entries(recordOf(extra)).map(([key, values]) => [key, textsOf(values)] as const)
  return {
    username: textOf(username),
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: textsOf(groups),
    extra: Object.fromEntries(entries),
  }
}

/** For reading objects of unchecked shape: what is no object has no fields. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}

export function textRecordOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([key, text]) => [key, textOf(text)]))
}

export function ownersOf(value: unknown): OwnerReference[] {
  return recordsOf(value).map(({ apiVersion, kind, name, uid, controller }) => ({
    apiVersion: textOf(apiVersion),
    kind: textOf(kind),
    name: textOf(name),
    uid: textOf(uid),
    controller: controller === true,
  }))
}
