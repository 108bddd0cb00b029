import type { Stored } from '../src/embedded/server/store.ts'

const imagesPerNode = 20
const mebibyte = 1_048_576
const createdAt = '2026-01-01T00:00:00Z'
const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']

const poolCount = 10
export const drainedPool = 'pool-0'

/** A tenth of the nodes, which are a pool of their own. */
export function drainedNodes(nodeCount: number): string[] {
  return Array.from({ length: nodeCount / poolCount }, (_, at) => `node-${at * poolCount}`)
}

/** As large as a real one: what its kubelet and its cloud write, and who manages which field. */
export function buildLargeNode(at: number, nowMs: number): Stored {
  const name = `node-${at}`
  const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
  const capacity = { cpu: '32', memory: '131072000Ki', pods: '110', 'ephemeral-storage': '104845292Ki' }
  const metadata = {
    name,
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    resourceVersion: '1',
    creationTimestamp: createdAt,
    labels: labelsOf(name, at),
    annotations: {
      'node.alpha.kubernetes.io/ttl': '0',
      'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      'csi.volume.kubernetes.io/nodeid': `{"disk.csi.example.com":"projects/example/zones/europe-1a/instances/${name}"}`,
    },
    managedFields: managedFieldsOf(),
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    spec: { podCIDR: `${address}/24`, podCIDRs: [`${address}/24`], providerID: `example://europe-1a/${name}` },
    status: {
      capacity,
      allocatable: capacity,
      conditions: conditions.map((type) => ({
        type,
        status: type === 'Ready' ? 'True' : 'False',
        reason: `Kubelet${type}`,
        message: `kubelet is posting ${type} status as it should`,
        lastHeartbeatTime: new Date(nowMs).toISOString(),
        lastTransitionTime: createdAt,
      })),
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
        { type: 'InternalDNS', address: `${name}.europe-1.internal.example.com` },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
        containerRuntimeVersion: 'containerd://2.1.4',
        kernelVersion: '6.12.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.37.1',
        machineID: String(at).padStart(32, '0'),
        operatingSystem: 'linux',
        osImage: 'Example Linux 12',
        systemUUID: `20000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      },
      images: Array.from({ length: imagesPerNode }, (_, image) => imageOf(at, image)),
    },
  }
}

function labelsOf(name: string, at: number): Record<string, string> {
  const zone = `europe-1${'abc'[at % 3]}`
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/instance-type': 'example-32',
    'beta.kubernetes.io/os': 'linux',
    'failure-domain.beta.kubernetes.io/region': 'europe-1',
    'failure-domain.beta.kubernetes.io/zone': zone,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'example-32',
    'topology.kubernetes.io/region': 'europe-1',
    'topology.kubernetes.io/zone': zone,
    pool: `pool-${at % poolCount}`,
  }
}

function imageOf(node: number, image: number): object {
  const repository = `registry.example.com/team-${image}/application-${(node + image) % 100}`
  const digest = String(node * imagesPerNode + image).padStart(64, '0')
  return { names: [`${repository}@sha256:${digest}`, `${repository}:v1.${image}`], sizeBytes: image * 10 * mebibyte }
}

function managedFieldsOf() {
  const ofConditions = Object.fromEntries(
    conditions.map((type) => [`k:{"type":"${type}"}`, { 'f:lastHeartbeatTime': {}, 'f:message': {}, 'f:status': {} }]),
  )
  const entry = { apiVersion: 'v1', fieldsType: 'FieldsV1', operation: 'Update', time: createdAt }
  return [
    { ...entry, manager: 'kubelet', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:pool': {} } } } },
    {
      ...entry,
      manager: 'kubelet',
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:conditions': ofConditions, 'f:images': {}, 'f:nodeInfo': {} } },
    },
  ]
}

const containers = [{ name: 'main', image: 'registry.example.com/application:v1' }]

/** Nobody is to read it, so its size does not matter. */
export function buildSmallPod(at: number, nodeName: string): Stored {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${at}`,
      namespace: 'default',
      uid: `30000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      labels: { app: `application-${at % 1_000}` },
    },
    spec: { nodeName, containers },
    status: { phase: 'Running' },
  }
}
