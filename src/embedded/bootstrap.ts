import { defaultRoles, type DefaultObject } from './server/auth/default-roles.ts'

// What a cluster has before any client changes it.

const zones = ['europe-1a', 'europe-1b', 'europe-1c']

export const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

export function firstObjects(): DefaultObject[] {
  return [...firstNamespaces.map(namespace), ...priorityClasses, kubernetesService, ...defaultRoles()]
}

function namespace(name: string): DefaultObject {
  return { resource: 'namespaces', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } }
}

const priorityClasses = [
  priorityClass('system-cluster-critical', 2_000_000_000),
  priorityClass('system-node-critical', 2_000_001_000),
]

function priorityClass(name: string, value: number): DefaultObject {
  const object = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    preemptionPolicy: 'PreemptLowerPriority',
  }
  return { resource: 'priorityclasses.scheduling.k8s.io', object }
}

const kubernetesService: DefaultObject = {
  resource: 'services',
  object: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  },
}

/** A node as its kubelet would register it, in one of three zones. */
export function buildNode(index: number): DefaultObject {
  const name = `node-${index + 1}`
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'topology.kubernetes.io/zone': zones[index % zones.length] ?? '',
  }
  return { resource: 'nodes', object: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } } }
}
