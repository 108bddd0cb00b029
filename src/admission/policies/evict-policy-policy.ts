import { evictPolicies, evictTimeoutAllowed, evictTimeoutPattern } from '../../api/evacuation/evict-policy.ts'
import { annotations } from '../../api/names.ts'
import {
  buildPodPolicy,
  celProblem,
  celText,
  type Policy,
  type PolicyBinding,
  type PolicyValidation,
} from './policy.ts'

const allowed = `must be one of ${evictPolicies.join(', ')}`

const isIn = (object: string, key: string) =>
  `has(${object}.metadata.annotations) && ${celText(key)} in ${object}.metadata.annotations`
const valueIn = (object: string, key: string) => `${object}.metadata.annotations[${celText(key)}]`

/** True: the request brings the annotation, or another value of it. */
const isNew = (key: string) =>
  `${isIn('object', key)} && (request.operation == 'CREATE' || !(${isIn('oldObject', key)}) || ${valueIn('oldObject', key)} != ${valueIn('object', key)})`

/** A misspelt evict policy would be taken for Default, and the pod evicted under its controller; a timeout for none. */
export function buildEvictPolicyPolicy(): [Policy, PolicyBinding] {
  const { evictPolicy, evictTimeout } = annotations
  const policy = valueIn('object', evictPolicy)
  return buildPodPolicy('lifeboat-evict-policy', {
    matchConditions: [
      { name: 'changes-evict-policy', expression: `(${isNew(evictPolicy)}) || (${isNew(evictTimeout)})` },
    ],
    validations: [
      check(evictPolicy, `${policy} in [${evictPolicies.map(celText).join(', ')}]`, allowed),
      check(evictTimeout, celEvictTimeoutHolds(valueIn('object', evictTimeout)), evictTimeoutAllowed),
    ],
  })
}

/** CEL for: this text is a timeout that evictTimeoutMsOf reads. */
export function celEvictTimeoutHolds(text: string): string {
  const lasts = `duration(${text}) >= duration('1s') && duration(${text}) <= duration('24h')`
  return `${text} != '' && ${text}.matches(${celText(evictTimeoutPattern)}) && ${lasts}`
}

function check(key: string, holds: string, allowedThere: string): PolicyValidation {
  return {
    expression: `!(${isNew(key)}) || (${holds})`,
    message: `metadata.annotations[${key}] ${allowedThere}`,
    messageExpression: celProblem(celText(key), valueIn('object', key), allowedThere),
    reason: 'Invalid',
  }
}
