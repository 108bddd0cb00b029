import { mailboxNameOf } from '../api/agent-mailbox.ts'
import { annotations } from '../api/names.ts'
import { buildPolicy, celText, type Policy, type PolicyBinding } from './policy.ts'

/** The node that a token was issued for: the API server knows it for the tokens of pods since 1.32. */
const nodeClaim = celText('authentication.kubernetes.io/node-name')

/**
 * All agents have one account, and RBAC cannot tie a right to the node that a token is from. This policy does: an agent
 * writes the mailbox of its own node and no other Lease, and never what Lifeboat wants of it.
 */
export function buildAgentAccountPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  const lease = `(request.operation == 'DELETE' ? oldObject : object)`
  const wantedOf = (object: string) =>
    `has(${object}.metadata.annotations) && ${wanted} in ${object}.metadata.annotations ? ${object}.metadata.annotations[${wanted}] : ''`
  const wanted = celText(annotations.agentWanted)
  const ownMessage = `${serviceAccountUser} may write the mailbox of its own node and no other Lease`
  const wantedMessage = `${serviceAccountUser} may not write the annotation ${annotations.agentWanted}`
  return buildPolicy('lifeboat-agent-account', 'Deny', {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['coordination.k8s.io'],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['leases'],
          scope: 'Namespaced',
        },
      ],
    },
    matchConditions: [{ name: 'agent', expression: `request.userInfo.username == ${celText(serviceAccountUser)}` }],
    variables: [
      {
        name: 'node',
        expression: `has(request.userInfo.extra) && ${nodeClaim} in request.userInfo.extra ? request.userInfo.extra[${nodeClaim}][0] : ''`,
      },
      { name: 'before', expression: `request.operation == 'CREATE' ? '' : (${wantedOf('oldObject')})` },
      { name: 'now', expression: `request.operation == 'DELETE' ? variables.before : (${wantedOf('object')})` },
    ],
    validations: [
      {
        expression: `variables.node != '' && ${lease}.metadata.name == ${celText(mailboxNameOf(''))} + variables.node`,
        message: ownMessage,
        messageExpression: celText(ownMessage),
        reason: 'Forbidden',
      },
      {
        expression: 'variables.now == variables.before',
        message: wantedMessage,
        messageExpression: celText(wantedMessage),
        reason: 'Forbidden',
      },
    ],
  })
}
