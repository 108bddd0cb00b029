import { annotations, nodeConditions } from '../../api/names.ts'
import { shutdownMaintenanceName } from '../../api/maintenance/shutdown-maintenance.ts'
import { isSame, updateLimits, updateVariables } from './own-account-updates.ts'
import { buildPolicy, celText, type Policy, type PolicyBinding, type PolicyValidation } from './policy.ts'

export const ownAccountPolicyName = 'lifeboat-own-account'

/** What a kubelet says of its node. Schedulers do not read the fields that are not here. */
const statusFields = [
  'capacity',
  'allocatable',
  'addresses',
  'nodeInfo',
  'phase',
  'daemonEndpoints',
  'images',
  'volumesInUse',
  'volumesAttached',
]

/**
 * Takes back what RBAC cannot leave out of a right that Lifeboat needs. Pods are created as a dry run alone, which shows
 * whether a new DaemonSet pod would be held. NodeMaintenances are created and deleted only for machines that go down. Of
 * the status of a node one condition is written. Of pods, nodes and autoscalers only that is changed which the work of
 * Lifeboat needs. The policy works in the API server, so it also holds while Lifeboat is
 * down, and against anyone who has Lifeboat's token.
 */
export function buildOwnAccountPolicy(serviceAccountUser: string): [Policy, PolicyBinding] {
  const rule = (apiGroup: string, resources: string, operations: readonly string[], scope: string, version = 'v1') => ({
    apiGroups: [apiGroup],
    apiVersions: [version],
    operations,
    resources: [resources],
    scope,
  })
  return buildPolicy(ownAccountPolicyName, 'Deny', {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        rule('nodemaintenance.k8s.io', 'nodemaintenances', ['CREATE', 'DELETE'], 'Cluster', '*'),
        rule('', 'nodes/status', ['UPDATE'], 'Cluster'),
        rule('', 'pods', ['CREATE', 'UPDATE'], 'Namespaced'),
        rule('', 'nodes', ['UPDATE'], 'Cluster'),
        rule('autoscaling', 'horizontalpodautoscalers', ['UPDATE'], 'Namespaced', 'v2'),
      ],
    },
    matchConditions: [{ name: 'lifeboat', expression: `request.userInfo.username == ${celText(serviceAccountUser)}` }],
    variables: [
      { name: 'written', expression: `request.operation == 'DELETE' ? oldObject : object` },
      // The types of all kinds above are checked, and only nodes have these fields.
      { name: 'now', expression: 'dyn(object)' },
      { name: 'before', expression: 'dyn(oldObject)' },
      ...updateVariables,
    ],
    validations: [
      validation(
        'pods',
        `request.operation != 'CREATE' || (has(request.dryRun) && request.dryRun)`,
        `${serviceAccountUser} may create pods only as a dry run`,
      ),
      validation(
        'nodemaintenances',
        ofShutdown('variables.written'),
        `${serviceAccountUser} may create and delete NodeMaintenances only for machines that go down`,
      ),
      validation(
        'nodes/status',
        [...statusFields.map((field) => isSame(`status.${field}`)), otherConditionsAreSame].join(' && '),
        `${serviceAccountUser} may change only the condition ${nodeConditions.shutdown} in the status of a node`,
      ),
      ...updateLimits.map(({ resource, expression, may }) =>
        validation(resource, `request.operation != 'UPDATE' || (${expression})`, `${serviceAccountUser} may ${may}`),
      ),
    ],
  })
}

function validation(resource: string, expression: string, message: string): PolicyValidation {
  const [plural = '', subresource = ''] = resource.split('/')
  const asked = `(has(request.subResource) ? request.subResource : '')`
  const isIt = `request.resource.resource == ${celText(plural)} && ${asked} == ${celText(subresource)}`
  return {
    expression: `!(${isIt}) || (${expression})`,
    message,
    messageExpression: celText(message),
    reason: 'Forbidden',
  }
}

/** By its name and mark, and for one node. */
function ofShutdown(object: string): string {
  const mark = celText(annotations.shutdown)
  const terms = `${object}.spec.nodeSelector.nodeSelectorTerms`
  return [
    `${object}.metadata.name.startsWith(${celText(shutdownMaintenanceName(''))})`,
    `has(${object}.metadata.annotations)`,
    `${mark} in ${object}.metadata.annotations`,
    `size(${terms}) == 1`,
    `${terms}.all(term, has(term.matchFields) && !has(term.matchExpressions))`,
  ].join(' && ')
}

const others = (object: string) =>
  `(has(${object}.status.conditions) ? ${object}.status.conditions.filter(c, c.type != ${celText(nodeConditions.shutdown)}) : [])`

const otherConditionsAreSame = `${others('variables.now')} == ${others('variables.before')}`
