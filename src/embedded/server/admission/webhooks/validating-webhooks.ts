import type { Store } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { callWebhook, versionFor, type WebhookParts } from './call-webhook.ts'
import { CompiledObjects } from './compiled-objects.ts'
import { addWarning, isExemptFromWebhooks } from './request-facts.ts'
import { compileWebhooks, validatingResource, type CompiledWebhook } from './webhook-configuration.ts'

/** Asks all validating webhooks that want to know, at once. */
export function validatingWebhooks(
  parts: WebhookParts & { readonly store: Pick<Store, 'get' | 'list' | 'subscribe'> },
) {
  const configurations = new CompiledObjects(parts.store, validatingResource, compileWebhooks)
  return {
    validate: (request: AdmissionRequest, warnings: string[]): Promise<void> | undefined => {
      if (configurations.all().length === 0 || isExemptFromWebhooks(request)) return undefined
      return askAll(configurations.all().flat(), request, warnings, parts)
    },
  } satisfies AdmissionPlugin
}

async function askAll(
  webhooks: readonly CompiledWebhook[],
  request: AdmissionRequest,
  warnings: string[],
  parts: WebhookParts,
): Promise<void> {
  // All are matched before the first is called: a condition that fails refuses without any call.
  const calls = webhooks.flatMap((webhook) => {
    const version = versionFor(webhook, request, parts)
    return version === undefined ? [] : [{ webhook, request, version, warnings: [] as string[] }]
  })
  const outcomes = await Promise.allSettled(calls.map((call) => callWebhook(call, 'validating', parts)))
  // In the order of the webhooks, not of their answers: the same requests give the same warnings and refusals.
  for (const text of calls.flatMap((call) => call.warnings)) addWarning(warnings, text)
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected')
  if (refusal !== undefined) throw refusal.reason
}
