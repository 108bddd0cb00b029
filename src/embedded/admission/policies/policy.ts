import type { DeepReadonly, LabelSelector } from '../../../api/kubernetes/meta.ts'
import type { MatchCondition } from '../webhooks/match-conditions.ts'
import type { Rule, Selectors } from '../webhooks/match-request.ts'

// ValidatingAdmissionPolicies and their bindings, as they are stored.

export const policyResource = 'validatingadmissionpolicies.admissionregistration.k8s.io'
export const bindingResource = 'validatingadmissionpolicybindings.admissionregistration.k8s.io'

export interface MatchResources extends Selectors {
  readonly matchPolicy?: string
  readonly resourceRules?: readonly Rule[]
  readonly excludeResourceRules?: readonly Rule[]
}

export interface Validation {
  readonly expression?: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

export interface Variable {
  readonly name?: string
  readonly expression?: string
}

export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

export interface AuditAnnotation {
  readonly key?: string
  readonly valueExpression?: string
}

export interface PolicySpec {
  readonly failurePolicy?: string
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly AuditAnnotation[]
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: DeepReadonly<LabelSelector>
  readonly parameterNotFoundAction?: string
}

export interface BindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly string[]
}

/** What the expressions of a policy may name. */
export function policyVariables(spec: PolicySpec): string[] {
  return [...messageVariables(spec), 'authorizer']
}

/** What words a refusal must not ask for rights: upstream keeps the authorizer from it. */
export function messageVariables({ paramKind }: PolicySpec): string[] {
  const names = ['object', 'oldObject', 'request', 'namespaceObject', 'variables']
  return paramKind === undefined ? names : [...names, 'params']
}
