import { ApiFailure, internal } from '../../failure.ts'
import { sameJson } from '../../json-value.ts'
import { jsonPatch } from '../../patch/json-patch.ts'
import { isObject } from '../../patch/json.ts'
import type { AnyObject, Store } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import type { ReviewResult } from './admission-review.ts'
import { callWebhook, unreachable, versionFor, type WebhookParts } from './call-webhook.ts'
import { CompiledObjects } from './compiled-objects.ts'
import { isExemptFromWebhooks } from './request-facts.ts'
import { withoutSystemFields } from './system-fields.ts'
import { compileWebhooks, mutatingResource, type CompiledWebhook } from './webhook-configuration.ts'

/** Asks the mutating webhooks one after the other, each about what the one before made of the object. */
export function mutatingWebhooks(parts: WebhookParts & { readonly store: Pick<Store, 'get' | 'list' | 'subscribe'> }) {
  const configurations = new CompiledObjects(parts.store, mutatingResource, compileWebhooks)
  return {
    mutate: (request: AdmissionRequest, warnings: string[]) => {
      if (configurations.all().length === 0 || isExemptFromWebhooks(request)) return request.object
      const round = new Round(parts, configurations.all().flat(), warnings)
      return withoutSystemFields(request, (bare) => round.mutate(bare))
    },
  } satisfies AdmissionPlugin
}

/** One request on its way through the webhooks, twice if a later one changed what an earlier one may want to see again. */
class Round {
  readonly #parts: WebhookParts
  readonly #webhooks: readonly CompiledWebhook[]
  readonly #warnings: string[]
  /** Called since the last change, and willing to be called again. */
  #called = new Set<CompiledWebhook>()
  readonly #again = new Set<CompiledWebhook>()

  constructor(parts: WebhookParts, webhooks: readonly CompiledWebhook[], warnings: string[]) {
    this.#parts = parts
    this.#webhooks = webhooks
    this.#warnings = warnings
  }

  async mutate(request: AdmissionRequest): Promise<AnyObject | undefined> {
    const first = await this.#pass(request, () => true)
    if (this.#again.size === 0) return first
    return this.#pass({ ...request, object: first }, (webhook) => this.#again.has(webhook))
  }

  async #pass(
    request: AdmissionRequest,
    isCalled: (webhook: CompiledWebhook) => boolean,
  ): Promise<AnyObject | undefined> {
    let { object } = request
    for (const webhook of this.#webhooks) {
      const current = { ...request, object }
      const version = versionFor(webhook, current, this.#parts)
      if (version === undefined || !isCalled(webhook)) continue
      const call = { webhook, request: current, version, warnings: this.#warnings }
      const result = await callWebhook(call, 'mutating', this.#parts)
      const patched = result === undefined ? object : applyResult(webhook, current, result)
      if (!sameJson(patched, object)) {
        for (const earlier of this.#called) this.#again.add(earlier)
        this.#called = new Set()
        object = patched
      }
      if (webhook.source.reinvocationPolicy === 'IfNeeded') this.#called.add(webhook)
    }
    return object
  }
}

function applyResult(
  webhook: CompiledWebhook,
  { object, definition, subresource }: AdmissionRequest,
  { patch, patchType }: ReviewResult,
): AnyObject | undefined {
  if (patch === '') return object
  const operations = decodePatch(webhook, patch)
  if (operations === undefined) return object
  if (Array.isArray(operations) && operations.length === 0) return object
  if (object === undefined) {
    throw internal(
      `admission webhook "${webhook.name}" attempted to modify the object, which is not supported for this operation`,
    )
  }
  if (patchType !== 'JSONPatch') throw unreachable(webhook, `unsupported patch type "${patchType ?? ''}"`)
  const patched = patchedBy(object, operations)
  return subresource === undefined ? (definition.fillDefaults?.(patched) ?? patched) : patched
}

/** Undefined: it cannot be read, which is to be ignored. */
function decodePatch(webhook: CompiledWebhook, patch: string): unknown {
  try {
    return JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown
  } catch (error) {
    if (webhook.ignoresFailures) return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw unreachable(webhook, `received undecodable patch in webhook response: ${why}`)
  }
}

/** A patch that does not fit is the webhook's fault, not the client's. */
function patchedBy(object: AnyObject, operations: unknown): AnyObject {
  let patched: unknown
  try {
    patched = jsonPatch(object, operations)
  } catch (error) {
    throw error instanceof ApiFailure ? internal(error.message) : error
  }
  if (isObject(patched) && isObject(patched['metadata'])) return patched as AnyObject
  throw internal('the patched object has no metadata')
}
