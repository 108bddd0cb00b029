import type { NewMeta } from '../../../api/kubernetes/meta.ts'
import type { AnyObject } from '../store.ts'
import { everyone } from './authenticator.ts'
import { administrators } from './role-based-authorizer.ts'
import type { Rule } from './rule.ts'

// The roles that clients and people count on. The real server has seventy; those of its own components are not needed
// here, because the embedded controllers are administrators.

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`
const reading = ['get', 'list', 'watch']
const writing = ['create', 'delete', 'deletecollection', 'patch', 'update']

const core = ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'serviceaccounts', 'services']
const apps = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
]
const withStatus = (resources: readonly string[]) =>
  resources.flatMap((name) => (name.includes('/') ? [name] : [name, `${name}/status`]))

const viewRules: readonly Rule[] = [
  rule('', [...withStatus(core), 'pods/log', 'events', 'namespaces', 'namespaces/status', 'resourcequotas'], reading),
  rule('apps', ['controllerrevisions', ...withStatus(apps)], reading),
  rule('autoscaling', withStatus(['horizontalpodautoscalers']), reading),
  rule('batch', withStatus(['cronjobs', 'jobs']), reading),
  rule('discovery.k8s.io', ['endpointslices'], reading),
  rule('policy', withStatus(['poddisruptionbudgets']), reading),
]

const editRules: readonly Rule[] = [
  rule('', [...core.filter((name) => name !== 'endpoints'), 'secrets', 'events'], writing),
  rule('', ['secrets'], reading),
  rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule('', ['serviceaccounts'], ['impersonate']),
  rule('apps', apps, writing),
  rule('autoscaling', ['horizontalpodautoscalers'], writing),
  rule('batch', ['cronjobs', 'jobs'], writing),
  rule('coordination.k8s.io', ['leases'], [...reading, ...writing]),
  rule('policy', ['poddisruptionbudgets'], writing),
  ...viewRules,
]

const adminRules: readonly Rule[] = [
  ...editRules,
  rule('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
  rule(apiGroup, ['roles', 'rolebindings'], [...reading, ...writing]),
]

const health = ['/healthz', '/livez', '/readyz', '/version', '/version/']
const discovery = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...health]

const clusterRoles: Readonly<Record<string, readonly Rule[]>> = {
  'cluster-admin': [rule('*', ['*'], ['*']), { verbs: ['*'], nonResourceURLs: ['*'] }],
  admin: adminRules,
  edit: editRules,
  view: viewRules,
  'system:basic-user': [
    rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
  ],
  'system:discovery': [{ verbs: ['get'], nonResourceURLs: discovery }],
  'system:public-info-viewer': [{ verbs: ['get'], nonResourceURLs: health }],
}

/** Role, and the groups that have it from the start. */
const bindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': [administrators],
  'system:basic-user': [everyone.authenticated],
  'system:discovery': [everyone.authenticated],
  'system:public-info-viewer': [everyone.authenticated, everyone.unauthenticated],
}

export interface DefaultObject {
  readonly resource: string
  readonly object: AnyObject & { readonly metadata: NewMeta }
}

export function defaultRoles(): DefaultObject[] {
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
  const roles = Object.entries(clusterRoles).map(([name, rules]) => ({
    resource: `clusterroles.${apiGroup}`,
    object: { apiVersion, kind: 'ClusterRole', metadata: { name, labels }, rules },
  }))
  const bound = Object.entries(bindings).map(([name, groups]) => ({
    resource: `clusterrolebindings.${apiGroup}`,
    object: {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: groups.map((group) => ({ apiGroup, kind: 'Group', name: group })),
    },
  }))
  return [...roles, ...bound]
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): Rule {
  return { apiGroups: [group], resources, verbs }
}
