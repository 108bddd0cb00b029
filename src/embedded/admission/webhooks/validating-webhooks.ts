import type { Store } from '../../store.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { callWebhook, versionFor, type WebhookParts } from './call-webhook.ts'
import { CompiledObjects } from './compiled-objects.ts'
import { isExemptFromWebhooks } from './request-facts.ts'
import { compileWebhooks, validatingResource } from './webhook-configuration.ts'

/** Asks all validating webhooks that want to know, at once. */
export function validatingWebhooks(
  parts: WebhookParts & { readonly store: Pick<Store, 'get' | 'list' | 'subscribe'> },
): AdmissionPlugin {
  const configurations = new CompiledObjects(parts.store, validatingResource, compileWebhooks)
  return {
    validate: async (request, warnings) => {
      if (configurations.all().length === 0 || isExemptFromWebhooks(request)) return
      // All are matched before the first is called: a condition that fails refuses without any call.
      const calls = configurations.all().flatMap((webhooks) =>
        webhooks.flatMap((webhook) => {
          const version = versionFor(webhook, request, parts)
          return version === undefined ? [] : [{ webhook, request, version, warnings: [] as string[] }]
        }),
      )
      const outcomes = await Promise.allSettled(calls.map((call) => callWebhook(call, 'validating', parts)))
      // In the order of the webhooks, not of their answers: the same requests give the same warnings and refusals.
      for (const call of calls) warnings.push(...call.warnings.filter((text) => !warnings.includes(text)))
      const refusal = outcomes.find((outcome) => outcome.status === 'rejected')
      if (refusal !== undefined) throw refusal.reason
    },
  }
}
