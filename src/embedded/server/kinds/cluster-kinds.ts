import type { ResourceDefinition } from '../definition.ts'
import {
  admissionPolicyMergeKeys,
  conditionsMergeKeys,
  jobMergeKeys,
  nodeMergeKeys,
  serviceAccountMergeKeys,
  serviceMergeKeys,
  webhookConfigurationMergeKeys,
} from '../patch/merge-keys.ts'
import type { Stored } from '../store.ts'
import { builtIn, statusOf } from './built-in.ts'

const core = { group: '', version: 'v1' }
const namespaceNames = { ...core, plural: 'namespaces', kind: 'Namespace' }
const nodeNames = { ...core, plural: 'nodes', kind: 'Node' }
const autoscalerNames = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
}
const jobNames = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job' }
const cronJobNames = { group: 'batch', version: 'v1', plural: 'cronjobs', kind: 'CronJob' }
const replicationControllerNames = { ...core, plural: 'replicationcontrollers', kind: 'ReplicationController' }
const claimNames = { ...core, plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' }
const quotaNames = { ...core, plural: 'resourcequotas', kind: 'ResourceQuota' }

export const namespaces: ResourceDefinition = builtIn({
  ...namespaceNames,
  mergeKeys: conditionsMergeKeys,
  shortNames: ['ns'],
  namespaced: false,
  subresources: [statusOf(namespaceNames)],
  selectableFields: {
    'status.phase': (namespace) => (namespace['status'] as { phase?: string } | undefined)?.phase ?? '',
  },
  prepareForCreate: (namespace) => {
    const { name, labels } = namespace.metadata
    // Without a name it will be refused.
    const own = name === undefined ? {} : { 'kubernetes.io/metadata.name': name }
    const metadata = { ...namespace.metadata, labels: { ...labels, ...own } }
    // The namespace controller takes the finalizer away once everything in it is gone.
    return { ...namespace, metadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
  },
  lingersAs: (namespace) => {
    const { finalizers = [] } = (namespace['spec'] ?? {}) as { finalizers?: readonly string[] }
    if (finalizers.length === 0) return undefined
    return { ...namespace, status: { ...(namespace['status'] as object | undefined), phase: 'Terminating' } }
  },
})

/** What the server writes even of a node that has said nothing yet. */
const emptyNodeStatus = {
  daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
  nodeInfo: {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  },
}

export const nodes: ResourceDefinition = builtIn({
  ...nodeNames,
  mergeKeys: nodeMergeKeys,
  shortNames: ['no'],
  namespaced: false,
  subresources: [statusOf(nodeNames)],
  selectableFields: {
    'spec.unschedulable': (node) =>
      String((node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable ?? false),
  },
  fillDefaults: (node) => ({
    ...node,
    spec: node['spec'] ?? {},
    status: { ...emptyNodeStatus, ...(node['status'] as object | undefined) },
  }),
})

export const autoscalers: ResourceDefinition = builtIn({
  ...autoscalerNames,
  mergeKeys: conditionsMergeKeys,
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: [statusOf(autoscalerNames)],
  fillDefaults: (autoscaler) => ({ ...autoscaler, spec: { minReplicas: 1, ...(autoscaler['spec'] as object) } }),
})

export const jobs: ResourceDefinition = builtIn({
  ...jobNames,
  mergeKeys: jobMergeKeys,
  categories: ['all'],
  subresources: [statusOf(jobNames)],
  countsGenerations: true,
  selectableFields: {
    'status.successful': (job) => String((job['status'] as { succeeded?: number } | undefined)?.succeeded ?? 0),
  },
  fillDefaults: (job) => ({
    ...job,
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      ...(job['spec'] as object),
    },
  }),
  // The pods of a job are found by its own UID, which no other job can claim.
  prepareForCreate: (job) => {
    const { uid, name } = job.metadata
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    }
    const spec = (job['spec'] ?? {}) as { template?: { metadata?: { labels?: object } } }
    const template = {
      ...spec.template,
      metadata: { ...spec.template?.metadata, labels: { ...spec.template?.metadata?.labels, ...labels } },
    }
    const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } }
    return { ...job, spec: { selector, ...spec, template }, status: {} }
  },
})

export const services: ResourceDefinition = builtIn({
  ...core,
  mergeKeys: serviceMergeKeys,
  plural: 'services',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  subresources: [statusOf({ ...core, kind: 'Service' })],
  fillDefaults: (service) => ({
    ...service,
    spec: { type: 'ClusterIP', sessionAffinity: 'None', ...(service['spec'] as object) },
  }),
  prepareForCreate: (service) => ({ ...service, status: { loadBalancer: {} } }),
})

/** Kinds that are kept as they come: nothing in a drain looks deeper into them. */
export const plainKinds: readonly ResourceDefinition[] = [
  builtIn({ ...core, plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] }),
  builtIn({
    ...core,
    plural: 'secrets',
    kind: 'Secret',
    selectableFields: { type: (secret) => textOf(secret['type']) },
    fillDefaults: (secret) => ({ type: 'Opaque', ...secret }),
  }),
  builtIn({ ...core, plural: 'endpoints', kind: 'Endpoints', singular: 'endpoints', shortNames: ['ep'] }),
  builtIn({
    ...core,
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    mergeKeys: serviceAccountMergeKeys,
    shortNames: ['sa'],
    subresources: [
      { name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
    ],
  }),
  builtIn({ ...claimNames, shortNames: ['pvc'], subresources: [statusOf(claimNames)] }),
  builtIn({ ...quotaNames, shortNames: ['quota'], subresources: [statusOf(quotaNames)] }),
  builtIn({ ...core, plural: 'events', kind: 'Event', shortNames: ['ev'], selectableFields: eventFields() }),
  // The embedded cluster has no controllers for these two: they are there to own something.
  builtIn({
    ...replicationControllerNames,
    shortNames: ['rc'],
    categories: ['all'],
    subresources: [statusOf(replicationControllerNames)],
  }),
  builtIn({ ...cronJobNames, shortNames: ['cj'], categories: ['all'], subresources: [statusOf(cronJobNames)] }),
  builtIn({ group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', kind: 'EndpointSlice' }),
  builtIn({ group: 'apps', version: 'v1', plural: 'controllerrevisions', kind: 'ControllerRevision' }),
  builtIn({
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    singular: 'priorityclass',
    shortNames: ['pc'],
    namespaced: false,
  }),
  // Kept and not enforced, as on a cluster whose network plugin knows nothing of them.
  builtIn({
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    singular: 'networkpolicy',
    shortNames: ['netpol'],
  }),
  builtIn({ group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' }),
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(roleKind),
  ...[
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ].map(admissionKind),
]

function roleKind(plural: string): ResourceDefinition {
  const kinds: Readonly<Record<string, string>> = {
    roles: 'Role',
    rolebindings: 'RoleBinding',
    clusterroles: 'ClusterRole',
    clusterrolebindings: 'ClusterRoleBinding',
  }
  return builtIn({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural,
    kind: kinds[plural] ?? plural,
    namespaced: !plural.startsWith('cluster'),
  })
}

function admissionKind(plural: string): ResourceDefinition {
  const kinds: Readonly<Record<string, string>> = {
    mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
    validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
    validatingadmissionpolicies: 'ValidatingAdmissionPolicy',
    validatingadmissionpolicybindings: 'ValidatingAdmissionPolicyBinding',
    mutatingadmissionpolicies: 'MutatingAdmissionPolicy',
    mutatingadmissionpolicybindings: 'MutatingAdmissionPolicyBinding',
  }
  return builtIn({
    group: 'admissionregistration.k8s.io',
    mergeKeys: plural.endsWith('webhookconfigurations') ? webhookConfigurationMergeKeys : admissionPolicyMergeKeys,
    version: 'v1',
    plural,
    kind: kinds[plural] ?? plural,
    namespaced: false,
    countsGenerations: true,
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function eventFields(): ResourceDefinition['selectableFields'] {
  const about = (event: Stored) => (event['involvedObject'] ?? {}) as Readonly<Record<string, string | undefined>>
  const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
  return {
    ...Object.fromEntries(
      involved.map((field) => [`involvedObject.${field}`, (event: Stored) => about(event)[field] ?? '']),
    ),
    reason: (event) => textOf(event['reason']),
    type: (event) => textOf(event['type']),
    reportingComponent: (event) => textOf(event['reportingComponent']),
  }
}
