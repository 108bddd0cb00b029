import { buildPolicy, celText, type Policy, type PolicyBinding } from './policy.ts'

export const ownAccountPolicyName = 'lifeboat-own-account'

/**
 * Lifeboat asks with a dry run whether a new DaemonSet pod would be held, and RBAC cannot grant a dry run alone. This
 * policy takes back the rest of that right. It works in the API server, so it also holds while Lifeboat is down, and
 * against anyone who has Lifeboat's token.
 */
export function buildOwnAccountPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  const message = `${serviceAccountUser} may create pods only as a dry run`
  return buildPolicy(ownAccountPolicyName, 'Deny', {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' },
      ],
    },
    matchConditions: [{ name: 'lifeboat', expression: `request.userInfo.username == ${celText(serviceAccountUser)}` }],
    validations: [
      {
        expression: 'has(request.dryRun) && request.dryRun',
        message,
        messageExpression: celText(message),
        reason: 'Forbidden',
      },
    ],
  })
}
