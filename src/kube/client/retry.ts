import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import type { RandomStream } from '../../runtime/random.ts'
import type { KubeError } from './errors.ts'
import type { Method } from './transport.ts'

const attemptsMax = 6
const backoff: BackoffOptions = { initialMs: 100, maxMs: 5_000, jitter: 0.2 }
/** A server that asks for more patience than this is better answered by the caller. */
const retryAfterSecondsMax = 30

/** When to try a failed request again, or undefined: never. Pure, so that the rules stand in one table test. */
export function retryDelayMs(
  failed: { readonly method: Method; readonly error: KubeError; readonly attempts: number },
  random: RandomStream,
): number | undefined {
  const { method, error, attempts } = failed
  if (attempts >= attemptsMax || !isSafeToRepeat(method, error)) return undefined
  if (error.retryAfterSeconds !== undefined && error.retryAfterSeconds > 0) {
    return error.retryAfterSeconds > retryAfterSecondsMax ? undefined : error.retryAfterSeconds * 1_000
  }
  return backoffMs(attempts, backoff, random)
}

function isSafeToRepeat(method: Method, error: KubeError): boolean {
  // The server turned it away before looking at it.
  if (error.kind === 'tooManyRequests') return true
  if (error.code === 503 && error.retryAfterSeconds !== undefined) return true
  if (error.kind !== 'unreachable' && error.kind !== 'serverError') return false
  // A read may be repeated whatever became of the first one. A write only if it surely never arrived: its reply may
  // have been lost after it was carried out, and who sent it must look before doing it again.
  return method === 'GET' || (error.kind === 'unreachable' && !error.mayHaveHappened)
}
