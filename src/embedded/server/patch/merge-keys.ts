import type { MergeKeys } from '../definition.ts'

/** In place of a merge key: an object that a strategic merge patch replaces as a whole. */
export const replacedWhole = '$replace'

// From the patchStrategy and patchMergeKey tags of Kubernetes 1.37's types. A list that is not here is replaced.

const objectMeta: MergeKeys = { 'metadata.ownerReferences': 'uid', 'metadata.finalizers': '' }

const container: MergeKeys = {
  ports: 'containerPort',
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
}

const podSpec: MergeKeys = {
  volumes: 'name',
  initContainers: 'name',
  ...below('initContainers', container),
  containers: 'name',
  ...below('containers', container),
  ephemeralContainers: 'name',
  ...below('ephemeralContainers', container),
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  schedulingGates: 'name',
  resourceClaims: 'name',
  evictionResponders: 'name',
}

const containerStatus: MergeKeys = { volumeMounts: 'mountPath', allocatedResourcesStatus: 'name' }

const podStatus: MergeKeys = {
  conditions: 'type',
  hostIPs: 'ip',
  podIPs: 'ip',
  resourceClaimStatuses: 'name',
  nodeAllocatableResourceClaimStatuses: 'resourceClaimName',
  ...below('initContainerStatuses', containerStatus),
  ...below('containerStatuses', containerStatus),
  ...below('ephemeralContainerStatuses', containerStatus),
}

const podTemplate: MergeKeys = { ...objectMeta, ...below('spec', podSpec) }
const conditions: MergeKeys = { 'status.conditions': 'type' }
const workload: MergeKeys = { ...objectMeta, ...below('spec.template', podTemplate), ...conditions }

/** For kinds with nothing but metadata to merge: config maps, secrets, events, leases, roles. */
export const plainMergeKeys: MergeKeys = objectMeta

export const podMergeKeys: MergeKeys = { ...podTemplate, ...below('status', podStatus) }

/** Deployments, ReplicaSets, DaemonSets, ReplicationControllers. */
export const workloadMergeKeys: MergeKeys = workload

export const statefulSetMergeKeys: MergeKeys = {
  ...workload,
  ...below('spec.volumeClaimTemplates', { ...objectMeta, ...conditions }),
}

export const jobMergeKeys: MergeKeys = workload

/** Taints have no merge key: a patch replaces all of them, which is why kubectl taint sends the whole list. */
export const nodeMergeKeys: MergeKeys = {
  ...objectMeta,
  'spec.podCIDRs': '',
  'status.conditions': 'type',
  'status.addresses': 'type',
}

export const serviceMergeKeys: MergeKeys = { ...objectMeta, 'spec.ports': 'port', ...conditions }

export const serviceAccountMergeKeys: MergeKeys = { ...objectMeta, secrets: 'name' }

/** Namespaces, persistent volume claims, horizontal pod autoscalers. */
export const conditionsMergeKeys: MergeKeys = { ...objectMeta, ...conditions }

export const podDisruptionBudgetMergeKeys: MergeKeys = {
  ...objectMeta,
  'spec.selector': replacedWhole,
  ...conditions,
}

export const webhookConfigurationMergeKeys: MergeKeys = {
  ...objectMeta,
  webhooks: 'name',
  'webhooks.matchConditions': 'name',
}

export const admissionPolicyMergeKeys: MergeKeys = {
  ...objectMeta,
  'spec.matchConditions': 'name',
  'spec.variables': 'name',
}

function below(path: string, keys: MergeKeys): MergeKeys {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [`${path}.${name}`, key]))
}
