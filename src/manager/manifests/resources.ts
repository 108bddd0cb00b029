import type { CustomResourceDefinition } from '../../api/schema/custom-resource-definitions.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import {
  apiVersionOf,
  configMaps,
  daemonSets,
  deployments,
  leases,
  namespaces,
  podDisruptionBudgets,
  pods,
  serviceAccounts,
  type Resource,
} from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { assert } from '../../runtime/assert.ts'

// Where the kinds live that an installation is made of.

interface CronJob extends KubernetesObject {
  spec?: { schedule?: string; suspend?: boolean; jobTemplate?: object }
}

export const definitionsResource: Resource<CustomResourceDefinition> = clusterScoped(
  'apiextensions.k8s.io',
  'customresourcedefinitions',
  'CustomResourceDefinition',
)
export const clusterRoles = clusterScoped('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole')
export const clusterRoleBindings = clusterScoped(
  'rbac.authorization.k8s.io',
  'clusterrolebindings',
  'ClusterRoleBinding',
)
export const roles = inNamespace('rbac.authorization.k8s.io', 'roles', 'Role')
export const roleBindings = inNamespace('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding')
export const services = { ...inNamespace('', 'services', 'Service') }
export const networkPolicies = inNamespace('networking.k8s.io', 'networkpolicies', 'NetworkPolicy')
export const cronJobs: Resource<CronJob> = inNamespace('batch', 'cronjobs', 'CronJob')
export const jobs = inNamespace('batch', 'jobs', 'Job')
export const priorityClasses = clusterScoped('scheduling.k8s.io', 'priorityclasses', 'PriorityClass')
export const mutatingWebhookConfigurations = clusterScoped(
  'admissionregistration.k8s.io',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
)
export const validatingWebhookConfigurations = clusterScoped(
  'admissionregistration.k8s.io',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
)
export const validatingAdmissionPolicies = clusterScoped(
  'admissionregistration.k8s.io',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
)
export const validatingAdmissionPolicyBindings = clusterScoped(
  'admissionregistration.k8s.io',
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
)
export const mutatingAdmissionPolicies = clusterScoped(
  'admissionregistration.k8s.io',
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
)
export const mutatingAdmissionPolicyBindings = clusterScoped(
  'admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings',
  'MutatingAdmissionPolicyBinding',
)

const known: readonly Resource<KubernetesObject>[] = [
  definitionsResource,
  namespaces,
  serviceAccounts,
  configMaps,
  services,
  deployments,
  daemonSets,
  cronJobs,
  podDisruptionBudgets,
  priorityClasses,
  networkPolicies,
  clusterRoles,
  clusterRoleBindings,
  roles,
  roleBindings,
  leases,
  pods,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  evacuations,
  nodeMaintenances,
]

/** Where an object goes that says itself what it is. */
export function resourceOf(object: {
  readonly apiVersion?: string
  readonly kind?: string
}): Resource<KubernetesObject> {
  const found = known.find((resource) => apiVersionOf(resource) === object.apiVersion && resource.kind === object.kind)
  assert(found !== undefined, `${object.apiVersion} ${object.kind} is a kind that Lifeboat installs`)
  return found
}

function clusterScoped(group: string, plural: string, kind: string) {
  return { ...inNamespace(group, plural, kind), namespaced: false }
}

function inNamespace(group: string, plural: string, kind: string) {
  return { group, version: 'v1', plural, kind, namespaced: true }
}
