import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from './apps.ts'
import type { HorizontalPodAutoscaler } from './autoscaling.ts'
import type { ConfigMap, Event, Namespace, Node, PersistentVolumeClaim, Pod, Secret, ServiceAccount } from './core.ts'
import type { Lease } from './coordination.ts'
import type { PodDisruptionBudget } from './policy.ts'
import type { KubernetesObject } from './meta.ts'
import type { PriorityClass } from './scheduling.ts'

/** Where a kind lives in the API. The type parameter is what its objects look like. */
export interface Resource<T extends KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Never set: carries T. */
  readonly objects?: T
}

export const pods: Resource<Pod> = core('pods', 'Pod')
export const events: Resource<Event> = core('events', 'Event')
export const configMaps: Resource<ConfigMap> = core('configmaps', 'ConfigMap')
export const secrets: Resource<Secret> = core('secrets', 'Secret')
export const serviceAccounts: Resource<ServiceAccount> = core('serviceaccounts', 'ServiceAccount')
export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = core(
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
)
export const nodes: Resource<Node> = { ...core('nodes', 'Node'), namespaced: false }
export const namespaces: Resource<Namespace> = { ...core('namespaces', 'Namespace'), namespaced: false }
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}
export const podDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
}
export const priorityClasses: Resource<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
}
export const deployments: Resource<Deployment> = apps('deployments', 'Deployment')
export const replicaSets: Resource<ReplicaSet> = apps('replicasets', 'ReplicaSet')
export const statefulSets: Resource<StatefulSet> = apps('statefulsets', 'StatefulSet')
export const daemonSets: Resource<DaemonSet> = apps('daemonsets', 'DaemonSet')
export const horizontalPodAutoscalers: Resource<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
}

export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

function core(plural: string, kind: string) {
  return { group: '', version: 'v1', plural, kind, namespaced: true }
}

function apps(plural: string, kind: string) {
  return { group: 'apps', version: 'v1', plural, kind, namespaced: true }
}
