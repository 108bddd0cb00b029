import type { Clock } from '../../../../runtime/clock.ts'
import type { Random } from '../../../../runtime/random.ts'
import type { Authorizer } from '../../authorization.ts'
import type { Definitions } from '../../definitions.ts'
import type { Store } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { policyConfigurations } from '../policies/check-policies.ts'
import { mutatingPolicies } from '../policies/mutating-policies.ts'
import { validatingPolicies } from '../policies/policy-plugin.ts'
import { webhookConfigurations } from './check-webhooks.ts'
import { mutatingWebhooks } from './mutating-webhooks.ts'
import { withoutSystemFields } from './system-fields.ts'
import { validatingWebhooks } from './validating-webhooks.ts'
import type { WebhookCaller } from './webhook-caller.ts'

export interface ConfiguredAdmissionParts {
  readonly store: Store
  readonly definitions: Definitions
  readonly clock: Clock
  readonly random: Random
  readonly webhookCaller: WebhookCaller
  /** The one that lets requests in: expressions ask it too. */
  readonly authorizer: Authorizer
}

/**
 * What users configure by objects of the cluster, in the order of the real server. One plugin for all of it, which has
 * nothing to wait for while nothing is configured: every write of the cluster comes through here.
 */
export function configuredAdmission(parts: ConfiguredAdmissionParts): AdmissionPlugin[] {
  const { store, definitions, clock, random, authorizer, webhookCaller: caller } = parts
  const identities = random.stream('embedded/admission-reviews')
  const webhooks = { store, definitions, clock, caller, authorizer, identities }
  const rewriting = mutatingPolicies({ store, definitions, authorizer })
  const mutating = mutatingWebhooks(webhooks)
  const policies = validatingPolicies({ store, definitions, authorizer })
  const validating = validatingWebhooks(webhooks)
  const mutateByPolicies = (request: AdmissionRequest) => withoutSystemFields(request, (bare) => rewriting.mutate(bare))
  return [
    {
      mutate: (request, warnings) => {
        const checked = checkOf(request)?.mutate(request)
        if (checked !== undefined) return checked
        if (!rewriting.concerns(request)) return mutating.mutate(request, warnings)
        return mutateByPolicies(request).then((object) => mutating.mutate({ ...request, object }, warnings))
      },
      validate: (request, warnings) => {
        checkOf(request)?.validate(request)
        policies.validate(request, warnings)
        return validating.validate(request, warnings)
      },
    },
  ]
}

/** The configurations themselves are filled in and checked. */
function checkOf({ definition: { group, plural } }: AdmissionRequest) {
  if (group !== 'admissionregistration.k8s.io') return undefined
  return plural.endsWith('webhookconfigurations') ? webhookConfigurations : policyConfigurations
}
