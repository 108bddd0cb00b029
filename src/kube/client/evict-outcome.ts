import { isKubeError, type KubeError } from './errors.ts'

/** What became of an eviction. Anything else that can happen is unexpected, and thrown. */
export type EvictOutcome =
  | { readonly kind: 'accepted' }
  /** The pod is not there, or another one has its name now. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'refused'
      readonly by: EvictionRefusal
      /** Of HTTP. */
      readonly code: number
      readonly retryAfterSeconds: number | undefined
    }
  /** No answer: it may have happened. Read the pod again, never assume. */
  | { readonly kind: 'unknown'; readonly error: KubeError }

export type EvictionRefusal =
  | { readonly kind: 'budget'; readonly budget: string; readonly needed: number; readonly healthy: number }
  /** A budget refuses, and the server does not give numbers: not synced yet, a failed sync, too many disrupted pods. */
  | { readonly kind: 'budgetUnclear'; readonly budget: string | undefined; readonly message: string }
  | { readonly kind: 'manyBudgets' }
  /** An admission webhook or policy. */
  | { readonly kind: 'admission'; readonly message: string }
  /** The server has too much to do. */
  | { readonly kind: 'throttled' }
  /** The server failed. After a timeout it may have happened all the same, which the pod then shows. */
  | EvictionFailed
  /** A right is missing. */
  | { readonly kind: 'evictionForbidden'; readonly message: string }

interface EvictionFailed {
  readonly kind: 'evictionFailed'
  /** The admission webhook without whose answer the server does not evict. */
  readonly webhook?: string
  readonly message: string
}

/** Undefined for an error that says nothing about the eviction itself, such as an expired token. */
export function evictOutcomeOf(error: KubeError): EvictOutcome | undefined {
  if (error.kind === 'unreachable') return { kind: 'unknown', error }
  const by = refusalOf(error)
  if (by === 'gone') return { kind: 'gone' }
  return by && { kind: 'refused', by, code: error.code, retryAfterSeconds: error.retryAfterSeconds }
}

// The API server gives the numbers, and the case of two budgets, in prose alone. These are the only expressions that
// read a sentence of its back; the stories of test/stories hold them to what it says today.
const numbers = /^The disruption budget (\S+) needs (\d+) healthy pods and has (\d+) currently$/
const budgetName = /^The disruption budget (\S+) /
const manyBudgets = /more than one PodDisruptionBudget/
const deniedByAdmission = /^admission webhook ".+" denied the request|ValidatingAdmissionPolicy '.+' .*denied request/
const failedWebhook = /failed calling webhook "([^"]+)"/

function refusalOf(error: KubeError): EvictionRefusal | 'gone' | undefined {
  const cause = error.causes.find(({ reason }) => reason === 'DisruptionBudget')
  if (cause !== undefined) return budgetRefusal(cause.message ?? '')
  if (error.code === 500 && manyBudgets.test(error.message)) return { kind: 'manyBudgets' }
  if (deniedByAdmission.test(error.message)) return { kind: 'admission', message: error.message }
  if (error.kind === 'notFound') return 'gone'
  // The only preconditions that Lifeboat sends are UIDs.
  if (error.kind === 'conflict' && error.message.includes('UID in the precondition')) return 'gone'
  if (error.kind === 'forbidden') return { kind: 'evictionForbidden', message: error.message }
  if (error.kind === 'tooManyRequests') return { kind: 'throttled' }
  return isKubeError(error, 'serverError', 'conflict') ? failureOf(error) : undefined
}

function failureOf({ message }: KubeError): EvictionFailed {
  const webhook = failedWebhook.exec(message)?.[1]
  return { kind: 'evictionFailed', ...(webhook === undefined ? {} : { webhook }), message }
}

function budgetRefusal(message: string): EvictionRefusal {
  const [, budget, needed, healthy] = numbers.exec(message) ?? []
  if (budget === undefined) return { kind: 'budgetUnclear', budget: budgetName.exec(message)?.[1], message }
  return { kind: 'budget', budget, needed: Number(needed), healthy: Number(healthy) }
}
