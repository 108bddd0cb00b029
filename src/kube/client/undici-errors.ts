import { errors } from 'undici'
import { TransportError } from './transport.ts'

/** Errors that can only come before the first byte of a request has left. */
const neverSentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
])

/** What undici threw, and whether the request may have reached the API server. */
export function asTransportError(cause: unknown): Error {
  if (cause instanceof TransportError) return cause
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const isCertificateProblem = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_)/.test(code)
  const message = cause instanceof errors.UndiciError || cause instanceof Error ? cause.message : String(cause)
  return new TransportError(message === '' ? code : message, {
    sent: neverSentCodes.has(code) || isCertificateProblem ? 'no' : 'maybe',
    cause,
  })
}

/** Whether it is what became of such an error. */
export function isOf(kind: new (message: string) => errors.UndiciError, error: unknown): error is TransportError {
  return error instanceof TransportError && error.cause instanceof kind
}
