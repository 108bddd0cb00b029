import type { Clock } from '../../../../runtime/clock.ts'
import type { RandomStream } from '../../../../runtime/random.ts'
import type { Authorizer } from '../../authorization.ts'
import { ApiFailure, badRequest, forbidden, internal } from '../../failure.ts'
import { randomUid } from '../../identity.ts'
import type { AdmissionRequest } from '../admission.ts'
import {
  buildReview,
  parseReview,
  type AdmissionReview,
  type ReviewResult,
  type ReviewStatus,
} from './admission-review.ts'
import { requestInput } from './admission-expression.ts'
import { matchedVersion, matchesSelectors, type MatchParts } from './match-request.ts'
import { addWarning, factsOf } from './request-facts.ts'
import { requestNameOf, type WebhookCaller, type WebhookClient } from './webhook-caller.ts'
import type { CompiledWebhook } from './webhook-configuration.ts'

export interface WebhookParts extends MatchParts {
  readonly clock: Clock
  /** For the UIDs of reviews. */
  readonly identities: RandomStream
  readonly caller: WebhookCaller
  /** Match conditions may ask for rights. */
  readonly authorizer: Authorizer
}

/** The version in which a webhook wants to see the request. Undefined: it does not. */
export function versionFor(
  { source, conditions }: CompiledWebhook,
  request: AdmissionRequest,
  parts: MatchParts & Pick<WebhookParts, 'authorizer'>,
): string | undefined {
  const version = matchedVersion(source.rules ?? [], source.matchPolicy, request, parts)
  if (version === undefined || !matchesSelectors(source, request, parts)) return undefined
  if ((source.matchConditions ?? []).length === 0) return version
  const outcome = conditions(requestInput(request, version, parts.authorizer))
  if (outcome.kind === 'error') throw forbidden(request.definition, factsOf(request).name, outcome.message)
  return outcome.kind === 'matches' ? version : undefined
}

export interface Call {
  readonly webhook: CompiledWebhook
  readonly request: AdmissionRequest
  readonly version: string
  readonly warnings: string[]
}

/**
 * Asks a webhook. Undefined: it could not be asked, and that is to be ignored. Throws an ApiFailure if the webhook
 * refuses, or if it could not be asked and that counts.
 */
export async function callWebhook(
  { webhook, request, version, warnings }: Call,
  phase: 'mutating' | 'validating',
  parts: WebhookParts,
): Promise<ReviewResult | undefined> {
  const { name, source } = webhook
  if (request.dryRun && source.sideEffects !== 'None' && source.sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook "${name}" does not support dry run`)
  const review = buildReview(request, version, randomUid(parts.identities))
  let result: ReviewResult
  try {
    const answer = await askInTime(webhook, review, parts)
    result = parseOrFail(answer, review.request.uid, phase)
  } catch (error) {
    if (webhook.ignoresFailures) return undefined
    throw unreachable(webhook, error instanceof Error ? error.message : String(error))
  }
  for (const warning of result.warnings) addWarning(warnings, warning)
  if (!result.allowed) throw denial(name, result.status)
  return result
}

/** The request cannot be judged: that is no fault of the client. */
export function unreachable({ name }: CompiledWebhook, why: string): ApiFailure {
  return internal(`failed calling webhook "${name}": ${why}`)
}

async function askInTime(
  { source, timeoutSeconds }: CompiledWebhook,
  review: AdmissionReview,
  { caller, clock }: WebhookParts,
): Promise<unknown> {
  const client: WebhookClient = { ...source.clientConfig, timeoutSeconds }
  const stop = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  using _timer = clock.timer(timeoutSeconds * 1_000, () => {
    const error = new Error(`${requestNameOf(client)}: context deadline exceeded`)
    stop.abort(error)
    reject(error)
  })
  try {
    return await Promise.race([caller.call(client, review, stop.signal), late])
  } catch (error) {
    throw new Error(`failed to call webhook: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function parseOrFail(answer: unknown, uid: string, phase: 'mutating' | 'validating'): ReviewResult {
  try {
    return parseReview(answer, uid, phase)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`received invalid webhook response: ${why}`, { cause: error })
  }
}

const lowestFailure = 400

/** A refusal is what the webhook says it is, as long as it is a failure at all. */
function denial(webhook: string, { code = 0, message = '', reason = '', details }: ReviewStatus): ApiFailure {
  const by = `admission webhook "${webhook}" denied the request`
  const why = message === '' ? reason : message
  const text = why === '' ? `${by} without explanation` : `${by}: ${why}`
  return new ApiFailure(Math.max(code, lowestFailure), reason, text, details)
}
