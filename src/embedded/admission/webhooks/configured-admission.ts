import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Definitions } from '../../definitions.ts'
import type { Store } from '../../store.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { policyConfigurations } from '../policies/check-policies.ts'
import { validatingPolicies } from '../policies/policy-plugin.ts'
import { webhookConfigurations } from './check-webhooks.ts'
import { mutatingWebhooks } from './mutating-webhooks.ts'
import { validatingWebhooks } from './validating-webhooks.ts'
import type { WebhookCaller } from './webhook-caller.ts'

export interface ConfiguredAdmissionParts {
  readonly store: Store
  readonly definitions: Definitions
  readonly clock: Clock
  readonly random: Random
  readonly webhookCaller: WebhookCaller
}

/** What users configure by objects of the cluster, in the order of the real server. */
export function configuredAdmission(parts: ConfiguredAdmissionParts): AdmissionPlugin[] {
  const { store, definitions, clock, random, webhookCaller: caller } = parts
  const webhooks = { store, definitions, clock, caller, identities: random.stream('embedded/admission-reviews') }
  return [
    webhookConfigurations,
    policyConfigurations,
    mutatingWebhooks(webhooks),
    validatingPolicies({ store, definitions }),
    validatingWebhooks(webhooks),
  ]
}
