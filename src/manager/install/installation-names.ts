import type { Manifest } from '../../api/kubernetes/meta.ts'

// What Lifeboat is called in a cluster. deploy/ is generated from it, and uninstall looks for it.

export const installation = {
  namespace: 'lifeboat-system',
  serviceAccount: 'lifeboat',
  lease: 'lifeboat',
  /** Of the ClusterRole, the Role, and their bindings. */
  role: 'lifeboat',
  webhookService: 'lifeboat-webhook',
  metricsService: 'lifeboat-metrics',
  deployment: 'lifeboat',
  podDisruptionBudget: 'lifeboat',
  priorityClass: 'lifeboat',
  /** Of the account, the roles and the Job by which a release of the chart leaves. */
  uninstall: 'lifeboat-uninstall',
  /** Of everything that belongs to the descheduler of the chart, and of its Lease. */
  descheduler: 'lifeboat-descheduler',
  deschedulerPolicy: 'lifeboat-descheduler-policy',
  deschedulerMetrics: 'lifeboat-descheduler-metrics',
  /** Of everything that belongs to the node agent of the chart. Its mailboxes have the name of their node behind it. */
  agent: 'lifeboat-agent',
} as const

/** By these, and its name, an object is recognized as ours. */
export const managedLabels = {
  'app.kubernetes.io/name': 'lifeboat',
  'app.kubernetes.io/managed-by': 'lifeboat',
} as const

/** Of the pods that run in a cluster, beside the name. */
export const replicaLabels = {
  'app.kubernetes.io/name': 'lifeboat',
  'app.kubernetes.io/component': 'controller',
} as const

/** Of the pods of the descheduler. */
export const deschedulerLabels = {
  'app.kubernetes.io/name': 'lifeboat',
  'app.kubernetes.io/component': 'descheduler',
} as const

export function withLabels<T extends Manifest>(object: T): T {
  const { metadata } = object
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...managedLabels } } }
}

/** How the API server calls a service account in its reviews. */
export function userOfServiceAccount(namespace: string, name: string = installation.serviceAccount): string {
  return `system:serviceaccount:${namespace}:${name}`
}
