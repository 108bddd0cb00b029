import type { AnyObject, Stored } from '../../store.ts'
import { requestVariables, type ExpressionInput } from './admission-expression.ts'
import { compileConditions, type ConditionsOutcome, type MatchCondition } from './match-conditions.ts'
import type { Rule, Selectors } from './match-request.ts'

export const mutatingResource = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
export const validatingResource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface ClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
  /** Base64 of PEM. */
  readonly caBundle?: string
}

/** One webhook of a configuration, as it is stored. */
export interface WebhookSource extends Selectors {
  readonly name: string
  readonly clientConfig?: ClientConfig
  readonly rules?: readonly Rule[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly sideEffects?: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions?: readonly string[]
  readonly reinvocationPolicy?: string
  readonly matchConditions?: readonly MatchCondition[]
}

export interface CompiledWebhook {
  readonly name: string
  readonly source: WebhookSource
  readonly ignoresFailures: boolean
  readonly timeoutSeconds: number
  readonly conditions: (input: ExpressionInput) => ConditionsOutcome
}

export const defaultTimeoutSeconds = 10

export function webhooksOf(configuration: AnyObject): readonly WebhookSource[] {
  return (configuration['webhooks'] ?? []) as readonly WebhookSource[]
}

/** In the order of the configuration. */
export function compileWebhooks(configuration: Stored): readonly CompiledWebhook[] {
  return webhooksOf(configuration).map((source) => ({
    name: source.name,
    source,
    ignoresFailures: source.failurePolicy === 'Ignore',
    timeoutSeconds: source.timeoutSeconds ?? defaultTimeoutSeconds,
    conditions: compileConditions(source.matchConditions ?? [], requestVariables, source.failurePolicy),
  }))
}
