import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lifeboatImage } from '../../scripts/build-image.ts'
import { buildProgram } from '../../scripts/bundle.ts'
import { writeImage } from '../../scripts/image-archive.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { isReady } from '../../src/api/kubernetes/pod-availability.ts'
import { Informer } from '../../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { buildBudget, buildDeployment, buildNode } from '../build/nodes-and-pods.ts'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { connect } from '../cluster/connect.ts'
import { createHelm, type Helm, release } from '../cluster/helm.ts'
import type { RealNode } from '../cluster/kubelet/real-node.ts'

/** A cluster whose applications are played, and on whose one real node Lifeboat runs as an image. */
export interface InstallWorld extends AsyncDisposable {
  readonly cluster: Cluster
  readonly node: RealNode
  readonly helm: Helm
  /** The release as one file. */
  readonly program: string
  /** An archive with the image that the node has. */
  readonly image: string
  /** Watches the applications from now on. */
  watch(): Promise<AvailabilityWatch>
}

export interface AvailabilityWatch extends AsyncDisposable {
  /** By application: the fewest pods that were ready at any moment. */
  lowest(): Record<string, number>
}

const namespace = 'shop'
/** So long that there is a middle: time to kill who leads, or to upgrade. */
const readyAfter = '12s'
/** Nobody but the applications runs on the played nodes. */
export const playedTaint = { key: 'kwok.x-k8s.io/node', value: 'fake', effect: 'NoSchedule' } as const

export async function openInstallWorld(applications: readonly string[]): Promise<InstallWorld> {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-image-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const built = buildImage(folder)
  // Looked at below; until then nobody is to be told by a crash.
  built.catch(() => {})
  const cluster = opening.use(await startCluster({ realNode: true }))
  await built
  const { realNode: node } = cluster
  if (node === undefined) throw new Error('the cluster was started with a real node')
  const image = join(folder, 'image.tar')
  await node.importImage(image)
  const helm = await createHelm(cluster)
  await createApplications(cluster, applications)
  const open = opening.move()
  return {
    cluster,
    node,
    helm,
    program: join(folder, 'lifeboat.mjs'),
    image,
    watch: () => watchAvailability(cluster),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function buildImage(folder: string): Promise<void> {
  const program = join(folder, 'lifeboat.mjs')
  await buildProgram(program)
  await writeImage(join(folder, 'image.tar'), await lifeboatImage(program))
}

/** Each has one replica, and a budget that refuses every eviction as long as there is no second one. */
async function createApplications({ kubectl }: Cluster, applications: readonly string[]): Promise<void> {
  const taints = [playedTaint]
  const nodes = ['a', 'b', 'c', 'd'].map((name) => buildNode({ name: `played-${name}`, taints }))
  const tolerations = [{ key: playedTaint.key, operator: 'Exists' }]
  const pod = { readyAfter, tolerations, spec: { nodeSelector: { type: 'kwok' } } }
  const objects = applications.flatMap((name) => [
    buildDeployment({ name, namespace, replicas: 1, pod }),
    buildBudget({ name, namespace, selector: { app: name }, minAvailable: 1 }),
  ])
  await kubectl(['create', 'namespace', namespace])
  const items = [...nodes, ...objects, buildDaemonSet(tolerations)]
  await kubectl(['create', '-f', '-'], { stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) })
  if (applications.length === 0) return
  await kubectl(['-n', namespace, 'wait', '--for=condition=Available', 'deployments', '--all', '--timeout=60s'])
}

function buildDaemonSet(tolerations: readonly object[]): object {
  const labels = { app: 'agent' }
  const containers = [{ name: 'main', image: 'test/image' }]
  const spec = { nodeSelector: { type: 'kwok' }, tolerations, containers }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

/** By a watch, which misses nothing: a poll sees only what lasts. */
async function watchAvailability(cluster: Cluster): Promise<AvailabilityWatch> {
  const connection = await connect(cluster)
  const stop = new AbortController()
  const world = { kube: connection.kube, clock: systemClock, random: systemRandom, log: silentLog }
  const informer = new Informer({ ...world, metrics: noKubeMetrics, resource: pods, selection: { namespace } })
  const ready = new Map<string, Set<string>>()
  const lowest = new Map<string, number>()
  let isWatching = false
  informer.subscribe(({ kind, object }) => {
    const app = object.metadata.labels?.['app'] ?? ''
    const uid = object.metadata.uid
    const those = ready.get(app) ?? new Set()
    ready.set(app, those)
    if (kind !== 'deleted' && isReady(object)) those.add(uid)
    else those.delete(uid)
    if (isWatching) lowest.set(app, Math.min(lowest.get(app) ?? Infinity, those.size))
  })
  const running = informer.run(stop.signal)
  await informer.synced()
  for (const [app, those] of ready) lowest.set(app, those.size)
  isWatching = true
  return {
    lowest: () => Object.fromEntries([...lowest].filter(([app]) => app !== 'agent')),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('seen enough'))
      await running
      await connection[Symbol.asyncDispose]()
    },
  }
}

/** What of a process inside a container the kernel says: who it is, and what it may. */
export async function confinementOf(pid: number): Promise<Record<string, string>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
  const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8')
  const rootOptions =
    mounts
      .split('\n')
      .find((line) => line.split(' ')[4] === '/')
      ?.split(' ')[5] ?? ''
  return {
    user: field('Uid'),
    group: field('Gid'),
    capabilities: field('CapEff'),
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    root: rootOptions.split(',')[0] ?? '',
  }
}

export interface Replica {
  readonly name: string
  readonly address: string
  readonly containerId: string
  readonly restarts: number
  readonly isReady: boolean
}

export async function replicasOf({ kubectl }: Cluster): Promise<Replica[]> {
  const selector = 'app.kubernetes.io/component=controller'
  const list = JSON.parse(await kubectl(['-n', release.namespace, 'get', 'pods', '-l', selector, '-o', 'json'])) as {
    items: (Pod & { status: { podIP?: string; containerStatuses?: ContainerStatus[] } })[]
  }
  return list.items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => {
      const [container] = pod.status.containerStatuses ?? []
      return {
        name: pod.metadata.name,
        address: pod.status.podIP ?? '',
        containerId: container?.containerID ?? '',
        restarts: container?.restartCount ?? 0,
        isReady: isReady(pod),
      }
    })
}

interface ContainerStatus {
  readonly containerID?: string
  readonly restartCount?: number
}

/** Whose the Lease is; empty if nobody's. */
export async function leaderOf({ kubectl }: Cluster): Promise<string> {
  const holder = ['get', 'lease', 'lifeboat', '-o', 'jsonpath={.spec.holderIdentity}']
  const identity = await kubectl(['-n', release.namespace, ...holder]).catch(() => '')
  return identity.split('_')[0] ?? ''
}

/** The pod of an application that is there, and the node that it is on. */
export async function podOf({ kubectl }: Cluster, app: string): Promise<{ name: string; node: string }> {
  const path = 'jsonpath={.items[0].metadata.name} {.items[0].spec.nodeName}'
  const [name = '', node = ''] = (
    await kubectl(['-n', namespace, 'get', 'pods', '-l', `app=${app}`, '-o', path])
  ).split(' ')
  return { name, node }
}

/** The label by which the ReplicaSet knows the pod; empty while that has let it go. */
export function hashOf({ kubectl }: Cluster, pod: string): Promise<string> {
  const label = 'jsonpath={.metadata.labels.pod-template-hash}'
  return kubectl(['-n', namespace, 'get', 'pod', pod, '-o', label, '--ignore-not-found'])
}

export function buildMaintenance(name: string, node: string): string {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  return JSON.stringify({
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name },
    spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [{ matchFields }] } },
  })
}
