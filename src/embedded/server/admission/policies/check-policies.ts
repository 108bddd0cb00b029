import { invalid, type FieldFault } from '../../failure.ts'
import { isMissing } from '../../identity.ts'
import { duplicateValue, forbiddenField, invalidValue, requiredValue, unsupportedValue } from '../../schema/fault.ts'
import type { AnyObject } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { withScope } from '../webhooks/match-request.ts'
import {
  choiceFaults,
  conditionFaults,
  expressionFaults,
  failurePolicies,
  matchPolicies,
  ruleFaults,
  withoutNulls,
} from '../webhooks/rule-faults.ts'
import { mutationFaults } from './mutation-faults.ts'
import {
  messageVariables,
  policyVariables,
  type AnyPolicySpec,
  type BindingSpec,
  type MatchResources,
  type MutatingPolicySpec,
  type ParamRef,
  type PolicySpec,
  type Validation,
  type Variable,
} from './policy.ts'

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const actions = ['Audit', 'Deny', 'Warn']
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/

const policyKinds = ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']
const bindingKinds = ['ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicyBinding']

const checks: Readonly<Record<string, (spec: PolicySpec & MutatingPolicySpec & BindingSpec) => FieldFault[]>> = {
  ValidatingAdmissionPolicy: policyFaults,
  ValidatingAdmissionPolicyBinding: (spec) => [...bindingFaults(spec), ...actionFaults(spec)],
  MutatingAdmissionPolicy: (spec) => [...commonFaults(spec), ...mutationFaults(spec)],
  MutatingAdmissionPolicyBinding: bindingFaults,
}

/** Fills in and checks policies and bindings when a client writes one. */
export const policyConfigurations = {
  mutate: (request: AdmissionRequest) => {
    if (isAbout(request, policyKinds)) return withPolicyDefaults(request.object)
    return isAbout(request, bindingKinds) ? withBindingDefaults(request.object) : request.object
  },
  validate: (request: AdmissionRequest) => {
    const { kind, group } = request.definition
    const spec = (request.object?.['spec'] ?? {}) as PolicySpec & MutatingPolicySpec & BindingSpec
    const faults = isAbout(request, [...policyKinds, ...bindingKinds]) ? (checks[kind]?.(spec) ?? []) : []
    if (faults.length > 0) throw invalid(kind, group, request.name, faults)
  },
} satisfies AdmissionPlugin

function isAbout({ definition, operation }: AdmissionRequest, kinds: readonly string[]): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE'
  return isWrite && definition.group === 'admissionregistration.k8s.io' && kinds.includes(definition.kind)
}

function withPolicyDefaults(policy: AnyObject | undefined): AnyObject | undefined {
  const spec = withoutNulls(policy?.['spec'] as PolicySpec | undefined)
  if (policy === undefined || spec === undefined) return policy
  const { matchConstraints } = spec
  return {
    ...policy,
    spec: {
      failurePolicy: 'Fail',
      ...spec,
      ...(matchConstraints === undefined ? {} : { matchConstraints: withMatchDefaults(matchConstraints) }),
    },
  }
}

function withBindingDefaults(binding: AnyObject | undefined): AnyObject | undefined {
  const spec = withoutNulls(binding?.['spec'] as BindingSpec | undefined)
  if (binding === undefined || spec === undefined) return binding
  const { matchResources } = spec
  const matching = matchResources === undefined ? {} : { matchResources: withMatchDefaults(matchResources) }
  return { ...binding, spec: { ...spec, ...matching } }
}

function withMatchDefaults(match: MatchResources): MatchResources {
  const { resourceRules, excludeResourceRules } = match
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...match,
    ...(resourceRules === undefined ? {} : { resourceRules: resourceRules.map(withScope) }),
    ...(excludeResourceRules === undefined ? {} : { excludeResourceRules: excludeResourceRules.map(withScope) }),
  }
}

function policyFaults(spec: PolicySpec): FieldFault[] {
  const { validations = [], auditAnnotations = [] } = spec
  const needsOne = 'validations or auditAnnotations must contain at least one item'
  return [
    ...commonFaults(spec),
    ...(validations.length + auditAnnotations.length === 0
      ? [requiredValue('spec.validations', needsOne), requiredValue('spec.auditAnnotations', needsOne)]
      : []),
    ...validations.flatMap((validation, at) => validationFaults(validation, spec, `spec.validations[${at}]`)),
    ...auditAnnotations.flatMap(({ valueExpression = '' }, at) =>
      expressionFaults(valueExpression, policyVariables(spec), `spec.auditAnnotations[${at}].valueExpression`, {
        missing: 'valueExpression is not specified',
      }),
    ),
  ]
}

/** What both kinds of policies have. */
function commonFaults(spec: AnyPolicySpec): FieldFault[] {
  const { matchConstraints, paramKind, variables = [] } = spec
  const names = policyVariables(spec)
  // Conditions come before variables: they cannot name any.
  const conditionNames = names.filter((name) => name !== 'variables')
  return [
    ...choiceFaults(spec.failurePolicy, failurePolicies, 'spec.failurePolicy'),
    ...(paramKind !== undefined && (paramKind.apiVersion ?? '') === ''
      ? [requiredValue('spec.paramKind.apiVersion')]
      : []),
    ...(paramKind !== undefined && (paramKind.kind ?? '') === '' ? [requiredValue('spec.paramKind.kind')] : []),
    ...(matchConstraints === undefined
      ? [requiredValue('spec.matchConstraints')]
      : matchFaults(matchConstraints, 'spec.matchConstraints')),
    ...(matchConstraints !== undefined && (matchConstraints.resourceRules ?? []).length === 0
      ? [requiredValue('spec.matchConstraints.resourceRules')]
      : []),
    ...conditionFaults(spec.matchConditions ?? [], conditionNames, 'spec.matchConditions'),
    ...variables.flatMap((variable, at) => variableFaults(variable, names, `spec.variables[${at}]`)),
  ]
}

function variableFaults(
  { name, expression = '' }: Partial<Variable>,
  names: readonly string[],
  field: string,
): FieldFault[] {
  const faults = expressionFaults(expression, names, `${field}.expression`, { missing: 'expression is not specified' })
  return [...variableNameFaults(name, `${field}.name`), ...faults]
}

function variableNameFaults(name: string | undefined, field: string): FieldFault[] {
  if (name === undefined || name.trim() === '') return [requiredValue(field, 'name is not specified')]
  return identifier.test(name) ? [] : [invalidValue(field, name, 'must be a valid CEL identifier')]
}

function validationFaults(validation: Validation, spec: PolicySpec, field: string): FieldFault[] {
  const { expression = '', message = '', messageExpression = '', reason } = validation
  const isBlank = (text: string) => text !== '' && text.trim() === ''
  return [
    ...expressionFaults(expression, policyVariables(spec), `${field}.expression`, {
      missing: 'expression is not specified',
      wanted: 'bool',
    }),
    ...(isBlank(messageExpression)
      ? [invalidValue(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified')]
      : messageExpression === ''
        ? []
        : expressionFaults(messageExpression, messageVariables(spec), `${field}.messageExpression`, {
            wanted: 'string',
          })),
    ...(isBlank(message) ? [invalidValue(`${field}.message`, message, 'must be non-empty if specified')] : []),
    ...(/[\n\r]/.test(message.trim())
      ? [invalidValue(`${field}.message`, message, 'must not contain line breaks')]
      : []),
    ...choiceFaults(reason, reasons, `${field}.reason`),
  ]
}

function matchFaults(match: MatchResources, field: string): FieldFault[] {
  const { resourceRules = [], excludeResourceRules = [] } = match
  return [
    ...choiceFaults(match.matchPolicy, matchPolicies, `${field}.matchPolicy`),
    ...resourceRules.flatMap((rule, at) => ruleFaults(rule, `${field}.resourceRules[${at}]`)),
    ...excludeResourceRules.flatMap((rule, at) => ruleFaults(rule, `${field}.excludeResourceRules[${at}]`)),
  ]
}

function bindingFaults({ policyName = '', paramRef, matchResources }: BindingSpec): FieldFault[] {
  return [
    ...(policyName === '' ? [requiredValue('spec.policyName')] : []),
    ...(paramRef === undefined ? [] : referenceFaults(paramRef)),
    ...(matchResources === undefined ? [] : matchFaults(matchResources, 'spec.matchResources')),
  ]
}

function actionFaults({ validationActions = [] }: BindingSpec): FieldFault[] {
  const field = 'spec.validationActions'
  const clash =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
  return [
    ...validationActions.flatMap((action, at) => [
      ...choiceFaults(action, actions, `${field}[${at}]`),
      ...(validationActions.indexOf(action) < at ? [duplicateValue(`${field}[${at}]`, action)] : []),
    ]),
    ...(validationActions.includes('Deny') && validationActions.includes('Warn')
      ? [invalidValue(field, validationActions, clash)]
      : []),
    ...(validationActions.length === 0 ? [requiredValue(field, 'at least one validation action is required')] : []),
  ]
}

function referenceFaults({ name, selector, parameterNotFoundAction: action = '' }: ParamRef): FieldFault[] {
  const field = 'spec.paramRef'
  const exclusive = 'name and selector are mutually exclusive'
  return [
    ...(!isMissing(name) && selector !== undefined
      ? [forbiddenField(`${field}.name`, exclusive), forbiddenField(`${field}.selector`, exclusive)]
      : []),
    ...(isMissing(name) && selector === undefined
      ? [requiredValue(field, 'one of name or selector must be specified')]
      : []),
    ...(action === '' ? [requiredValue(`${field}.parameterNotFoundAction`)] : []),
    ...(action === '' || action === 'Deny' || action === 'Allow'
      ? []
      : [unsupportedValue(`${field}.parameterNotFoundAction`, action, ['Deny', 'Allow'])]),
  ]
}
