import type { FieldFault } from '../../failure.ts'
import { isMissing } from '../../identity.ts'
import { isObject } from '../../patch/json.ts'
import { duplicateValue, invalidValue, requiredValue, unsupportedValue } from '../../schema/fault.ts'
import { compileFault, type ExpressionType } from './admission-expression.ts'
import type { MatchCondition } from './match-conditions.ts'
import type { Rule } from './match-request.ts'

// What is wrong with the parts that webhook configurations and policies have in common.

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']
export const failurePolicies = ['Fail', 'Ignore']
export const matchPolicies = ['Equivalent', 'Exact']

/** As the real server decodes: a field that is null is not there. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== undefined)
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutNulls(field)])) as T
}

export function ruleFaults(rule: Rule, field: string): FieldFault[] {
  const { operations: wanted = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  return [
    ...(wanted.length === 0 ? [requiredValue(`${field}.operations`)] : []),
    ...wildcardFaults(wanted, `${field}.operations`, 'operations'),
    ...wanted.flatMap((operation, at) => choiceFaults(operation, operations, `${field}.operations[${at}]`)),
    ...(apiGroups.length === 0 ? [requiredValue(`${field}.apiGroups`)] : []),
    ...wildcardFaults(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...(apiVersions.length === 0 ? [requiredValue(`${field}.apiVersions`)] : []),
    ...wildcardFaults(apiVersions, `${field}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((version, at) => (version === '' ? [requiredValue(`${field}.apiVersions[${at}]`)] : [])),
    ...resourceFaults(resources, `${field}.resources`),
    ...choiceFaults(scope, scopes, `${field}.scope`),
  ]
}

function wildcardFaults(list: readonly string[], field: string, what: string): FieldFault[] {
  if (list.length < 2 || !list.includes('*')) return []
  return [invalidValue(field, list, `if '*' is present, must not specify other ${what}`)]
}

function resourceFaults(resources: readonly string[], field: string): FieldFault[] {
  if (resources.length === 0) return [requiredValue(field)]
  const faults = resources.flatMap((resource, at) => (resource === '' ? [requiredValue(`${field}[${at}]`)] : []))
  if (resources.length > 1 && resources.includes('*/*'))
    faults.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"))
  if (resources.includes('*') && resources.some((resource) => resource !== '*' && !resource.includes('/'))) {
    const detail = "if '*' is present, must not specify other resources without subresources"
    faults.push(invalidValue(field, resources, detail))
  }
  return faults
}

/** Nothing is wrong with what is left out: a default takes its place. */
export function choiceFaults(value: string | undefined, choices: readonly string[], field: string): FieldFault[] {
  return value === undefined || choices.includes(value) ? [] : [unsupportedValue(field, value, choices)]
}

export function conditionFaults(
  conditions: readonly MatchCondition[],
  variables: readonly string[],
  field: string,
): FieldFault[] {
  const names = new Set<string>()
  return conditions.flatMap(({ name, expression = '' }, at) => {
    const faults = expressionFaults(expression.trim(), variables, `${field}[${at}].expression`, { wanted: 'bool' })
    if (isMissing(name)) return [...faults, requiredValue(`${field}[${at}].name`)]
    if (names.has(name)) faults.push(duplicateValue(`${field}[${at}].name`, name))
    names.add(name)
    return faults
  })
}

export function expressionFaults(
  expression: string,
  variables: readonly string[],
  field: string,
  { missing = '', wanted = 'any' }: { readonly missing?: string; readonly wanted?: ExpressionType } = {},
): FieldFault[] {
  if (expression.trim() === '') return [requiredValue(field, missing)]
  const fault = compileFault(expression, variables, wanted)
  return fault === undefined ? [] : [invalidValue(field, expression, fault)]
}
