import { buildPolicy, celText, type Policy, type PolicyBinding } from './policy.ts'

/**
 * Only an account that may delete a pod may ask for its Evacuation, so the descheduler has that right for every pod.
 * It never uses it: pods leave by Evacuation or eviction. This policy refuses the deletion itself, also to anyone who
 * has the descheduler's token. An eviction is not a deletion to admission.
 */
export function buildDeschedulerAccountPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  const message = `${serviceAccountUser} may evict pods and ask for their Evacuation, and not delete them`
  return buildPolicy('lifeboat-descheduler-account', 'Deny', {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'], scope: 'Namespaced' },
      ],
    },
    matchConditions: [
      { name: 'descheduler', expression: `request.userInfo.username == ${celText(serviceAccountUser)}` },
    ],
    validations: [{ expression: 'false', message, messageExpression: celText(message), reason: 'Forbidden' }],
  })
}
