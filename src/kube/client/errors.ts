import type { Status, StatusCause } from '../../api/kubernetes/meta.ts'
import type { TransportResponse } from './transport.ts'

export type KubeErrorKind =
  | 'badRequest'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  /** The resource version or continue token is too old: list again. */
  | 'expired'
  | 'invalid'
  | 'tooManyRequests'
  | 'unsupported'
  | 'serverError'
  /** There was no answer: the server is out of reach, or the connection broke. */
  | 'unreachable'

/** An answer that is not a success, or no answer at all. Its kind is all that a caller needs to branch on. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly kind: KubeErrorKind
  /** 0 where there was no answer. */
  readonly code: number
  /** The API server's own word for it, such as `AlreadyExists`. */
  readonly reason: string
  readonly causes: readonly StatusCause[]
  readonly retryAfterSeconds: number | undefined
  /** False only when it is certain that the server changed nothing. */
  readonly mayHaveHappened: boolean

  constructor(message: string, details: KubeErrorDetails) {
    super(message, { cause: details.cause })
    this.kind = details.kind
    this.code = details.code ?? 0
    this.reason = details.reason ?? ''
    this.causes = details.causes ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.mayHaveHappened = details.mayHaveHappened ?? false
  }
}

export interface KubeErrorDetails {
  readonly kind: KubeErrorKind
  readonly code?: number
  readonly reason?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number | undefined
  readonly mayHaveHappened?: boolean
  readonly cause?: unknown
}

export function isKubeError(error: unknown, ...kinds: readonly KubeErrorKind[]): error is KubeError {
  return error instanceof KubeError && (kinds.length === 0 || kinds.includes(error.kind))
}

/** What was read, or undefined: it is not there. Any other failure stays one. */
export async function unlessNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isKubeError(error, 'notFound')) return undefined
    throw error
  }
}

/** The same for what the client may not read. */
export async function unlessForbidden<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isKubeError(error, 'forbidden')) return undefined
    throw error
  }
}

/** `what` is what was asked for, `GET /api/v1/nodes`, for answers that do not say it themselves. */
export function errorFromResponse(what: string, response: TransportResponse): KubeError {
  const status = parseStatus(response.body)
  const reason = status?.reason ?? ''
  const kind = kindOf(response.status, reason)
  return new KubeError(status?.message ?? `${what}: ${response.status}${bodyText(response.body)}`, {
    kind,
    code: response.status,
    reason,
    causes: status?.details?.causes ?? [],
    retryAfterSeconds: status?.details?.retryAfterSeconds ?? retryAfterHeader(response),
    // A server that fails half-way (a timeout to its store, say) may have written all the same.
    mayHaveHappened: kind === 'serverError' && response.status !== 503,
  })
}

/** An ERROR event of a watch carries a Status and no HTTP code. */
export function errorFromWatchEvent(object: unknown): KubeError {
  const status = parseStatus(object)
  const code = status?.code ?? 500
  return errorFromResponse('watch', { status: code, headers: {}, body: object })
}

export function parseStatus(body: unknown): Status | undefined {
  const isStatus = typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status'
  return isStatus ? (body as Status) : undefined
}

function kindOf(code: number, reason: string): KubeErrorKind {
  if (reason === 'AlreadyExists') return 'alreadyExists'
  if (reason === 'Expired' || reason === 'Gone') return 'expired'
  return kindsByCode.get(code) ?? (code >= 500 ? 'serverError' : 'badRequest')
}

const kindsByCode: ReadonlyMap<number, KubeErrorKind> = new Map([
  [400, 'badRequest'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'notFound'],
  [405, 'unsupported'],
  [406, 'unsupported'],
  [409, 'conflict'],
  [410, 'expired'],
  [415, 'unsupported'],
  [422, 'invalid'],
  [429, 'tooManyRequests'],
])

function retryAfterHeader(response: TransportResponse): number | undefined {
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const bodyTextLengthMax = 200

function bodyText(body: unknown): string {
  return typeof body === 'string' && body.trim() !== '' ? ` ${body.trim().slice(0, bodyTextLengthMax)}` : ''
}
