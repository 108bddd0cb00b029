import { controllerRole, evacuatorLimits, evacuatorListRules, evacuatorRules } from '../../api/evacuation/evacuator.ts'
import { annotations, evacuationGroup } from '../../api/names.ts'
import { dnsSubdomainPattern } from '../../api/schema/schema.ts'
import {
  buildPodPolicy,
  celProblem,
  celText,
  type Policy,
  type PolicyBinding,
  type PolicyValidation,
} from './policy.ts'

const { evacuatorsMax, priorityMin, priorityMax, controllerPriority, roleLengthMax } = evacuatorLimits
const prefix = celText(annotations.evacuatorPriorityPrefix)
const hashPrefix = celText(annotations.evacuatorHashPrefix)
const controllerValue = celText(`${controllerPriority}/${controllerRole}`)

const suffix = `k.substring(${annotations.evacuatorPriorityPrefix.length})`
const hashKey = `(${hashPrefix} + ${suffix})`
/** CEL over the key `k` of an annotation. */
const classOfKey = `(${hashKey} in variables.annotations ? variables.annotations[${hashKey}] : ${suffix})`
const valueOfKey = 'variables.annotations[k]'

// Up to priorityMax, whose digits are spelled out here, and followed by a role or by nothing.
const priorityPattern = celText('^(0|[1-9][0-9]{0,4}|100000)(/|$)')
const rolePattern = celText('^[0-9]+(/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')

const domain = `${evacuationGroup}/`
const annotationsOf = (object: string) => `(has(${object}.metadata.annotations) ? ${object}.metadata.annotations : {})`

/** A pod from before the policy must stay one that can be updated. */
const changed = (() => {
  const now = annotationsOf('object')
  const before = annotationsOf('oldObject')
  const ours = `k.startsWith(${celText(domain)})`
  return [
    `request.operation == 'CREATE'`,
    `${now}.exists(k, ${ours} && (!(k in ${before}) || ${before}[k] != ${now}[k]))`,
    `${before}.exists(k, ${ours} && !(k in ${now}))`,
  ].join(' || ')
})()

const variables = [
  { name: 'annotations', expression: annotationsOf('object') },
  { name: 'keys', expression: `variables.annotations.filter(k, k.startsWith(${prefix}))` },
  // With more the pod is refused in any case, and comparing each with each could cost too much.
  { name: 'few', expression: `variables.keys.size() <= ${evacuatorsMax} ? variables.keys : []` },
  {
    name: 'badClasses',
    expression: `variables.few.filter(k, !${classOfKey}.matches(${celText(dnsSubdomainPattern)}) || size(${classOfKey}) > 253).map(k, ${hashKey} in variables.annotations ? ${hashKey} : k)`,
  },
  { name: 'badPriorities', expression: `variables.few.filter(k, !${valueOfKey}.matches(${priorityPattern}))` },
  { name: 'badRoles', expression: `variables.few.filter(k, !${valueOfKey}.matches(${rolePattern}))` },
  { name: 'controllers', expression: `variables.few.filter(k, ${valueOfKey} == ${controllerValue})` },
  {
    name: 'badControllers',
    expression: `variables.few.filter(k, ${valueOfKey}.endsWith(${celText(`/${controllerRole}`)}) && ${valueOfKey} != ${controllerValue})`,
  },
  {
    name: 'reserved',
    expression: `variables.few.filter(k, ${valueOfKey}.matches(${celText(`^${controllerPriority}(/|$)`)}) && ${valueOfKey} != ${controllerValue})`,
  },
  { name: 'classes', expression: `variables.few.map(k, ${classOfKey})` },
  {
    name: 'repeated',
    expression: `variables.few.filter(k, [${classOfKey}].exists(own, !variables.classes.exists_one(other, other == own)))`,
  },
]

/** Holds if the list is empty; else the message names one of it, always the same one. */
function nothingIn(list: string, which: 'min' | 'max', allowed: string): PolicyValidation {
  const key = `variables.${list}.${which}()`
  return {
    expression: `variables.${list}.size() == 0`,
    message: `an evacuator annotation ${allowed}`,
    messageExpression: celProblem(key, `variables.annotations[${key}]`, allowed),
    reason: 'Invalid',
  }
}

const { controllerHasItsPriority, priorityIsTheControllers } = evacuatorRules
const { oneController } = evacuatorListRules
const slots = `at most ${evacuatorsMax} evacuators, one of them with the role ${controllerRole}`

const validations: readonly PolicyValidation[] = [
  {
    expression: `variables.keys.size() < ${evacuatorsMax} + variables.controllers.size()`,
    message: `metadata.annotations has too many of ${annotations.evacuatorPriorityPrefix}CLASS: ${slots}`,
    messageExpression: `'metadata.annotations has ' + string(variables.keys.size()) + ${celText(` of ${annotations.evacuatorPriorityPrefix}CLASS: ${slots}`)}`,
    reason: 'Invalid',
  },
  nothingIn('badClasses', 'min', 'the evacuator class must be a DNS subdomain, such as foo.example.com'),
  nothingIn(
    'badPriorities',
    'min',
    `must be PRIORITY or PRIORITY/ROLE with an integer from ${priorityMin} to ${priorityMax}`,
  ),
  nothingIn(
    'badRoles',
    'min',
    `must be PRIORITY or PRIORITY/ROLE with a role of up to ${roleLengthMax} letters, digits, "-", "_" and "."`,
  ),
  nothingIn('badControllers', 'min', controllerHasItsPriority.message),
  nothingIn('reserved', 'min', priorityIsTheControllers.message),
  nothingIn('repeated', 'max', 'must not register an evacuator class a second time'),
  {
    ...nothingIn('controllers', 'max', oneController.message),
    expression: 'variables.controllers.size() <= 1',
  },
]

/** The rules of validateEvacuatorAnnotations, in the API server itself: they need no webhook when a pod is created. */
export function buildEvacuatorAnnotationPolicy(): [Policy, PolicyBinding] {
  return buildPodPolicy('lifeboat-evacuator-annotations', {
    matchConditions: [{ name: 'changes-evacuator-annotations', expression: changed }],
    variables,
    validations,
  })
}
