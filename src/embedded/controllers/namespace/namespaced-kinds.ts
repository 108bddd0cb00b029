import type { ControllerParts } from '../controller.ts'

/** What a namespace can hold, those who make others before what they make: or it would be made again meanwhile. */
const builtIn: readonly string[] = [
  'horizontalpodautoscalers.autoscaling',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'replicationcontrollers',
  'cronjobs.batch',
  'jobs.batch',
  'pods',
  'controllerrevisions.apps',
  'services',
  'endpointslices.discovery.k8s.io',
  'endpoints',
  'poddisruptionbudgets.policy',
  'persistentvolumeclaims',
  'resourcequotas',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'leases.coordination.k8s.io',
  'events',
]

interface CustomResource {
  readonly group?: string
  readonly scope?: string
  readonly names?: { readonly plural?: string }
}

/** The kinds that live in namespaces, those of CRDs included. */
export function namespacedKinds(store: ControllerParts['store']): string[] {
  const custom = store
    .list('customresourcedefinitions.apiextensions.k8s.io')
    .map((crd) => crd['spec'] as CustomResource)
  const namespaced = custom.filter(({ scope }) => scope === 'Namespaced')
  return [...namespaced.map(({ group, names }) => `${names?.plural}.${group}`), ...builtIn]
}
