import { mailboxNameOf } from '../../api/maintenance/agent-mailbox.ts'
import { annotations } from '../../api/names.ts'
import { buildPolicy, celText, type Policy, type PolicyBinding } from './policy.ts'

/** The node that a token was issued for: the API server knows it for the tokens of pods since 1.32. */
const nodeClaim = celText('authentication.kubernetes.io/node-name')

/** What Lifeboat writes into a mailbox: which static pods are to be parked, and which shutdown may continue. */
const written = [
  { name: 'wanted', annotation: annotations.agentWanted },
  { name: 'shutdown', annotation: annotations.agentShutdown },
] as const

/**
 * All agents have one account, and RBAC cannot tie a right to the node that a token is from. This policy does: an agent
 * writes the mailbox of its own node and no other Lease, and never what Lifeboat writes there.
 */
export function buildAgentAccountPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  const lease = `(request.operation == 'DELETE' ? oldObject : object)`
  const ownMessage = `${serviceAccountUser} may write the mailbox of its own node and no other Lease`
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
      ...written.flatMap(({ name, annotation }) => [
        {
          name: `${name}Before`,
          expression: `request.operation == 'CREATE' ? '' : (${valueIn('oldObject', annotation)})`,
        },
        {
          name: `${name}Now`,
          expression: `request.operation == 'DELETE' ? variables.${name}Before : (${valueIn('object', annotation)})`,
        },
      ]),
    ],
    validations: [
      {
        expression: `variables.node != '' && ${lease}.metadata.name == ${celText(mailboxNameOf(''))} + variables.node`,
        message: ownMessage,
        messageExpression: celText(ownMessage),
        reason: 'Forbidden',
      },
      ...written.map(({ name, annotation }) => {
        const message = `${serviceAccountUser} may not write the annotation ${annotation}`
        return {
          expression: `variables.${name}Now == variables.${name}Before`,
          message,
          messageExpression: celText(message),
          reason: 'Forbidden' as const,
        }
      }),
    ],
  })
}

function valueIn(object: string, annotation: string): string {
  const all = `${object}.metadata.annotations`
  return `has(${all}) && ${celText(annotation)} in ${all} ? ${all}[${celText(annotation)}] : ''`
}
