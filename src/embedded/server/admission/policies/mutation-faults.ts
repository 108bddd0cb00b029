import type { FieldFault } from '../../failure.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../schema/fault.ts'
import { patchesAsMaps } from '../../schema/cel-json-patch.ts'
import { choiceFaults, expressionFaults } from '../webhooks/rule-faults.ts'
import { policyVariables, type MutatingPolicySpec, type Mutation } from './policy.ts'

const operations = ['*', 'CREATE', 'UPDATE']
const reinvocationPolicies = ['IfNeeded', 'Never']
const patchTypes = ['ApplyConfiguration', 'JSONPatch']

/** What only a policy that changes objects has. */
export function mutationFaults(spec: MutatingPolicySpec): FieldFault[] {
  const { matchConstraints, mutations = [], reinvocationPolicy = '' } = spec
  const asked = (matchConstraints?.resourceRules ?? []).flatMap((rule) => rule.operations ?? [])
  const names = policyVariables(spec)
  return [
    ...asked
      .filter((operation) => !operations.includes(operation))
      .map((operation) => unsupportedValue('spec.matchConstraints.resourceRules.operations', operation, operations)),
    ...(mutations.length === 0
      ? [requiredValue('spec.mutations', 'mutations must contain at least one item')]
      : mutations.flatMap((mutation, at) => faultsOf(mutation, names, `spec.mutations[${at}]`))),
    ...(reinvocationPolicy === ''
      ? [requiredValue('spec.reinvocationPolicy')]
      : choiceFaults(reinvocationPolicy, reinvocationPolicies, 'spec.reinvocationPolicy')),
  ]
}

function faultsOf(mutation: Mutation, names: readonly string[], field: string): FieldFault[] {
  const { patchType = '', jsonPatch, applyConfiguration } = mutation
  switch (patchType) {
    case '':
      return [requiredValue(`${field}.patchType`)]
    case 'JSONPatch':
      return [
        ...(jsonPatch === undefined
          ? [requiredValue(`${field}.jsonPatch`, 'must be specified when patchType is JSONPatch')]
          : patchFaults(jsonPatch.expression ?? '', names, `${field}.jsonPatch.expression`)),
        ...(applyConfiguration === undefined
          ? []
          : [
              invalidValue(
                `${field}.applyConfiguration`,
                '{applyConfiguration}',
                'must not be specified when patchType is JSONPatch',
              ),
            ]),
      ]
    case 'ApplyConfiguration':
      return [invalidValue(`${field}.patchType`, patchType, 'the embedded cluster knows JSONPatch only')]
    default:
      return [unsupportedValue(`${field}.patchType`, patchType, patchTypes)]
  }
}

function patchFaults(expression: string, names: readonly string[], field: string): FieldFault[] {
  try {
    return expressionFaults(patchesAsMaps(expression), names, field)
  } catch (error) {
    return [invalidValue(field, expression, error instanceof Error ? error.message : String(error))]
  }
}
