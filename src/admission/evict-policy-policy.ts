import { annotations } from '../api/names.ts'
import { buildPodPolicy, celProblem, celText, type Policy, type PolicyBinding } from './policy.ts'

const key = celText(annotations.evictPolicy)
const values = ['Default', 'ControllerTakeOver'] as const
const allowed = `must be one of ${values.join(', ')}`

const isIn = (object: string) => `has(${object}.metadata.annotations) && ${key} in ${object}.metadata.annotations`
const valueIn = (object: string) => `${object}.metadata.annotations[${key}]`

/** A misspelt evict policy would be taken for Default, and the pod evicted under its controller. */
export function buildEvictPolicyPolicy(): [Policy, PolicyBinding] {
  const isNew = `request.operation == 'CREATE' || !(${isIn('oldObject')}) || ${valueIn('oldObject')} != ${valueIn('object')}`
  return buildPodPolicy('lifeboat-evict-policy', {
    matchConditions: [{ name: 'changes-evict-policy', expression: `${isIn('object')} && (${isNew})` }],
    validations: [
      {
        expression: `${valueIn('object')} in [${values.map(celText).join(', ')}]`,
        message: `metadata.annotations[${annotations.evictPolicy}] ${allowed}`,
        messageExpression: celProblem(key, valueIn('object'), allowed),
        reason: 'Invalid',
      },
    ],
  })
}
