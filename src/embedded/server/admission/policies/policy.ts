import type { LabelSelector } from '../../../../api/kubernetes/meta.ts'
import type { MatchCondition } from '../webhooks/match-conditions.ts'
import type { Rule, Selectors } from '../webhooks/match-request.ts'

// Admission policies and their bindings, as they are stored.

export const policyResource = 'validatingadmissionpolicies.admissionregistration.k8s.io'
export const bindingResource = 'validatingadmissionpolicybindings.admissionregistration.k8s.io'
export const mutatingPolicyResource = 'mutatingadmissionpolicies.admissionregistration.k8s.io'
export const mutatingBindingResource = 'mutatingadmissionpolicybindings.admissionregistration.k8s.io'

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
  readonly name: string
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

/** What both kinds of policies have. */
export interface AnyPolicySpec {
  readonly failurePolicy?: string
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

export interface PolicySpec extends AnyPolicySpec {
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly AuditAnnotation[]
}

export interface Mutation {
  readonly patchType?: string
  readonly jsonPatch?: { readonly expression?: string }
  readonly applyConfiguration?: { readonly expression?: string }
}

export interface MutatingPolicySpec extends AnyPolicySpec {
  readonly mutations?: readonly Mutation[]
  readonly reinvocationPolicy?: string
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelector
  readonly parameterNotFoundAction?: string
}

export interface BindingSpec {
  readonly policyName?: string
  readonly paramRef?: ParamRef
  readonly matchResources?: MatchResources
  readonly validationActions?: readonly string[]
}

/** What the expressions of a policy may name. */
export function policyVariables(spec: AnyPolicySpec): string[] {
  return [...messageVariables(spec), 'authorizer']
}

/** What words a refusal must not ask for rights: upstream keeps the authorizer from it. */
export function messageVariables({ paramKind }: AnyPolicySpec): string[] {
  const names = ['object', 'oldObject', 'request', 'namespaceObject', 'variables']
  return paramKind === undefined ? names : [...names, 'params']
}
