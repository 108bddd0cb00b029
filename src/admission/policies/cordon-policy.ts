import { annotations, nodeMaintenanceGroup } from '../../api/names.ts'
import { buildPolicy, celText, type Policy, type PolicyBinding, type PolicyValidation } from './policy.ts'

const isCordoned = (node: string) =>
  `has(${node}.spec) && has(${node}.spec.unschedulable) && ${node}.spec.unschedulable`

/**
 * KEP-4212: a user who cordons or uncordons a node against its maintenance is told that it will not last. No request is
 * refused.
 */
export function buildCordonPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  return buildPolicy('lifeboat-cordon', 'Warn', {
    failurePolicy: 'Ignore',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes'], scope: 'Cluster' },
      ],
    },
    matchConditions: [
      {
        name: 'changes-unschedulable',
        expression: `(${isCordoned('object')}) != (${isCordoned('oldObject')})`,
      },
      {
        name: 'under-maintenance',
        expression: `has(oldObject.metadata.annotations) && ${celText(annotations.maintenanceStatus)} in oldObject.metadata.annotations`,
      },
      { name: 'not-lifeboat', expression: `request.userInfo.username != ${celText(serviceAccountUser)}` },
    ],
    validations: [
      warning(
        isCordoned('object'),
        ` is under maintenance (${nodeMaintenanceGroup}): it will be cordoned again. Complete the NodeMaintenance to make it schedulable`,
      ),
      warning(
        `!(${isCordoned('object')})`,
        ` is under maintenance (${nodeMaintenanceGroup}): it is cordoned anyway and becomes schedulable again when that completes. Cordon it afterwards if it should stay so`,
      ),
    ],
  })
}

function warning(unless: string, words: string): PolicyValidation {
  return {
    expression: unless,
    message: `the node${words}`,
    messageExpression: `'node ' + object.metadata.name + ${celText(words)}`,
    reason: 'Invalid',
  }
}
