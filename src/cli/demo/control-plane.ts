import { Agent } from '../../agent/agent.ts'
import { leases, pods } from '../../api/kubernetes/resources.ts'
import { mailboxNameOf } from '../../api/maintenance/agent-mailbox.ts'
import { labels } from '../../api/names.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { silentLog } from '../../runtime/log.ts'
import { behaviour } from './applications.ts'
import { kubeletFolder, type PlayedFolder } from './played-folder.ts'
import { until, type Stage } from './stage.ts'

// The control plane of `lifeboat demo --static-pods`: three nodes, four static pods each, as kubeadm makes them.

const namespace = 'kube-system'
const { namespace: own } = installation
export const controlPlaneNodes: readonly string[] = ['node-1', 'node-2', 'node-3']
export const components: readonly string[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']

/** What the cluster cannot do without: a majority of etcd, and one API server. */
export const needed: ReadonlyMap<string, number> = new Map([
  ['etcd', 2],
  ['kube-apiserver', 1],
])

/** A folder of manifests for each node of the control plane, and its static pods running. */
export async function startControlPlane(stage: Stage): Promise<ReadonlyMap<string, PlayedFolder>> {
  const manifests = Object.fromEntries(components.map((name) => [`${name}.yaml`, JSON.stringify(manifestOf(name))]))
  const folders = new Map(controlPlaneNodes.map((node) => [node, kubeletFolder(stage, node, manifests)]))
  for (const folder of folders.values()) await folder.publish()
  await untilStaticPodsRun(stage, controlPlaneNodes)
  return folders
}

function manifestOf(component: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: component,
      namespace,
      labels: { app: component, component, tier: 'control-plane' },
      annotations: { [behaviour.readyAfter]: '1s' },
    },
    spec: {
      priorityClassName: 'system-node-critical',
      containers: [{ name: component, image: `registry.example.com/${component}:1.0` }],
    },
  }
}

export async function untilStaticPodsRun(stage: Stage, nodes: readonly string[]): Promise<void> {
  const wanted = nodes.flatMap((node) => components.map((component) => `${component}-${node}`))
  await until(stage, `the static pods of ${nodes.join(', ')} run`, async () => {
    const { items } = await stage.kube.list(pods, { namespace, signal: stage.signal })
    const ready = new Set(items.filter(isReady).map(({ metadata }) => metadata.name))
    return wanted.every((name) => ready.has(name))
  })
}

/** Which manifest each static pod runs, by the hash that its kubelet gives it. */
export async function hashesOf({ kube, signal }: Stage): Promise<ReadonlyMap<string, string>> {
  const { items } = await kube.list(pods, { namespace, labelSelector: 'tier=control-plane', signal })
  return new Map(
    items.map(({ metadata }) => [metadata.name, metadata.annotations?.['kubernetes.io/config.hash'] ?? '']),
  )
}

/** The agents of these folders, each in a pod of its own, until the end of the block. */
export async function startAgents(stage: Stage, folders: ReadonlyMap<string, PlayedFolder>): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, stage.signal])
  const { kube, clock, random } = stage
  const running: Promise<void>[] = []
  for (const [node, manifests] of folders) {
    const pod = await createAgentPod(stage, node)
    const about = { namespace: own, node, pod, bootID: `boot-of-${node}`, manifests }
    running.push(new Agent({ kube, clock, random, log: silentLog, metrics: noKubeMetrics, ...about }).run(signal))
  }
  await until(stage, 'every node has an agent', async () => {
    const found = await Promise.all([...folders.keys()].map((node) => hasAgent(stage, node)))
    return found.every(Boolean)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the demo is over'))
      await Promise.all(running)
    },
  }
}

async function createAgentPod({ kube, signal }: Stage, node: string): Promise<{ name: string; uid: string }> {
  const name = podNameOf(node)
  const { metadata } = await kube.create(
    pods,
    {
      metadata: { namespace: own, name, labels: { [labels.nodeAgent]: 'true' } },
      spec: { nodeName: node, containers: [{ name: 'agent', image: 'registry.example.com/lifeboat-agent:1.0' }] },
    },
    { signal },
  )
  return { name, uid: metadata.uid }
}

function podNameOf(node: string): string {
  return `${installation.agent}-${node}`
}

async function hasAgent({ kube, signal }: Stage, node: string): Promise<boolean> {
  const pod = await kube.get(pods, { namespace: own, name: podNameOf(node) }, { signal })
  if (!isReady(pod)) return false
  return (
    (await unlessNotFound(kube.get(leases, { namespace: own, name: mailboxNameOf(node) }, { signal }))) !== undefined
  )
}
