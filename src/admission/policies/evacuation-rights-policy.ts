import { evacuationGroup, labels } from '../../api/names.ts'
import { buildPolicy, celText, type Policy, type PolicyBinding } from './policy.ts'
import { evacuationRule, notCleaningUp } from '../serving/webhook-configurations.ts'

/** Of an update the Evacuation as it was: what a user writes must not decide which right they need. */
const evacuation = 'oldObject == null ? object : oldObject'

const text = (path: string) => `variables.evacuation.${path}.orValue('')`

/**
 * KEP-4563: a user who writes an Evacuation must be authorized to delete its pod, and no user deletes one whose
 * evacuator forbids it. The API server checks both by itself: also while Lifeboat does not run, and whatever its gates
 * say. It also keeps the mark for Lifeboat by which finished Evacuations are deleted.
 */
export function buildEvacuationRightsPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  return buildPolicy('lifeboat-evacuation-rights', 'Deny', {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        evacuationRule(['evacuations'], ['CREATE', 'UPDATE', 'DELETE']),
        evacuationRule(['evacuations/status'], ['UPDATE']),
      ],
    },
    matchConditions: [
      // It has the right, and writes most: the check is the costly part.
      { name: 'not-lifeboat', expression: `request.userInfo.username != ${celText(serviceAccountUser)}` },
      notCleaningUp,
    ],
    variables: [
      { name: 'evacuation', expression: evacuation },
      // The schema requires a name. Without one the right to delete every pod of the namespace is asked for.
      { name: 'podName', expression: text('?spec.?podRef.?name') },
      { name: 'pod', expression: `request.namespace + '/' + variables.podName` },
    ],
    validations: [mayDeletePod, mayCancel, mayMark],
  })
}

const deeds = `{'CREATE': 'create', 'UPDATE': 'change', 'DELETE': 'delete'}[request.operation]`

const mayDeletePod = {
  expression: `authorizer.group('').resource('pods').namespace(request.namespace).name(variables.podName).check('delete').allowed()`,
  message: `a user who writes an Evacuation (${evacuationGroup}) must be allowed to delete its pod`,
  messageExpression: `'user "' + request.userInfo.username + '" may not delete pod ' + variables.pod + ', so it may not ' + ${deeds} + ' its Evacuation'`,
  reason: 'Forbidden',
} as const

const activeClass = text('?status.?activeEvacuatorClass')
const evacuator = `(${activeClass} == '' ? 'its evacuator' : 'the evacuator ' + ${activeClass})`

/** CEL cannot look whether the pod is still there. Lifeboat can, and removes the Evacuation when it is not. */
const mayCancel = {
  expression: `request.operation != 'DELETE' || ${text('?status.?evacuationCancellationPolicy')} != 'Forbid'`,
  message: `status.evacuationCancellationPolicy is "Forbid": set it to Allow first`,
  messageExpression: `'status.evacuationCancellationPolicy is "Forbid": ' + ${evacuator} + ' cannot stop any more; Lifeboat removes the Evacuation once pod ' + variables.pod + ' is gone, and others can delete it once the policy is Allow again'`,
  reason: 'Forbidden',
} as const

const isMarked = (version: string) => `${celText(labels.finished)} in ${version}.metadata.?labels.orValue({})`

/** What bears it is deleted with all others that do. */
const mayMark = {
  expression: `object == null || !(${isMarked('object')}) || (oldObject != null && ${isMarked('oldObject')})`,
  message: `Lifeboat alone sets the label ${labels.finished}: an Evacuation with it is deleted`,
  messageExpression: `'user "' + request.userInfo.username + '" may not set the label ${labels.finished}: Lifeboat does when the pod is gone, and deletes the Evacuation'`,
  reason: 'Forbidden',
} as const
