/** What a webhook thinks of a request. */
export type Answer = Allowed | Denied

export interface Allowed {
  readonly allowed: true
  /** What should be changed first; only a mutating webhook may say so. */
  readonly patch?: readonly PatchOperation[]
  readonly warnings?: readonly string[]
}

export interface Denied {
  readonly allowed: false
  readonly code: number
  /** One of the API server's own words, such as `Forbidden`. */
  readonly reason: 'Forbidden' | 'Invalid' | 'TooManyRequests'
  readonly message: string
  readonly warnings?: readonly string[]
}

export interface PatchOperation {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

export const allowed: Allowed = { allowed: true }

export function forbidden(message: string): Denied {
  return { allowed: false, code: 403, reason: 'Forbidden', message }
}

export function invalid(message: string): Denied {
  return { allowed: false, code: 422, reason: 'Invalid', message }
}

export interface AdmissionReviewResponse {
  readonly apiVersion: 'admission.k8s.io/v1'
  readonly kind: 'AdmissionReview'
  readonly response: Readonly<Record<string, unknown>>
}

export function renderReview(uid: string, answer: Answer): AdmissionReviewResponse {
  const { warnings = [] } = answer
  const response = {
    uid,
    allowed: answer.allowed,
    ...(answer.allowed ? renderPatch(answer.patch ?? []) : { status: renderStatus(answer) }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}

function renderPatch(patch: readonly PatchOperation[]): object {
  if (patch.length === 0) return {}
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}

function renderStatus({ code, reason, message }: Denied): object {
  return { status: 'Failure', code, reason, message }
}
