// The cluster of bench/many-nodes.bench.ts, in a process of its own: large, with all that moves pods of Deployments.
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDrained, type NodeMaintenance } from '../src/api/maintenance/node-maintenance.ts'
import { startDeploymentController } from '../src/embedded/controllers/deployment/deployment.ts'
import { startDisruption } from '../src/embedded/controllers/disruption/disruption.ts'
import { startGarbageCollector } from '../src/embedded/controllers/garbage-collector/garbage-collector.ts'
import { startKubelet } from '../src/embedded/controllers/kubelet/kubelet.ts'
import { startReplicaSetController } from '../src/embedded/controllers/replica-set/replica-set.ts'
import { startScheduler } from '../src/embedded/controllers/scheduler/scheduler.ts'
import { keyOf, readAs, type Store, type Stored } from '../src/embedded/server/store.ts'
import { buildApplication, buildNamespace } from './application-objects.ts'
import { applicationOf, buildBusyPod, templateOf } from './descheduler-objects.ts'
import { serveFilledCluster } from './filled-cluster.ts'
import { buildLargeNode, drainedNodes } from './idle-objects.ts'

/** What the parent is told. */
export type ManyNodesMessage =
  | { readonly kind: 'ready'; readonly kubeconfigPath: string; readonly pods: number; readonly namespaces: number }
  | { readonly kind: 'state'; readonly state: ManyNodesState }

export interface ManyNodesState {
  /** On the nodes that are drained. */
  readonly podsLeft: number
  readonly drainedMaintenances: number
  /** Of Lifeboat, open at the same time. */
  readonly watchesMax: number
  readonly requests: number
}

const [nodeCount = 0, podsOnNode = 0, applications = 1] = process.argv.slice(2).map(Number)

function fill(store: Store): void {
  const put = (resource: string, object: Stored) => store.put(resource, keyOf(object.metadata), object)
  const pods = Array.from({ length: nodeCount * podsOnNode }, (_, at) => at)
  for (const [application, seats] of Map.groupBy(pods, (at) => applicationOf(at, applications))) {
    const { namespace } = templateOf(application)
    if (store.get('namespaces', namespace) === undefined) put('namespaces', buildNamespace(namespace))
    const { deployment, replicaSet, budget } = buildApplication(application, seats.length)
    put('deployments.apps', deployment)
    put('replicasets.apps', replicaSet)
    put('poddisruptionbudgets.policy', budget)
  }
  for (let at = 0; at < nodeCount; at++) put('nodes', buildLargeNode(at, Date.now()))
  for (const at of pods) put('pods', buildBusyPod(at, nodeOf(at), applications))
}

function nodeOf(pod: number): string {
  return `node-${Math.floor(pod / podsOnNode)}`
}

const drained = new Set(drainedNodes(nodeCount))
const watches = { open: 0, max: 0 }
let requests = 0

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  if (!(request.headers['user-agent'] ?? '').startsWith('lifeboat/')) return
  requests++
  if (!(request.url ?? '').includes('watch=true')) return
  watches.max = Math.max(watches.max, ++watches.open)
  response.once('close', () => watches.open--)
})

function stateOf(store: Store): ManyNodesState {
  let podsLeft = 0
  for (const pod of store.values('pods')) {
    const { nodeName } = pod['spec'] as { nodeName?: string }
    if (nodeName !== undefined && drained.has(nodeName)) podsLeft++
  }
  const maintenances = [...store.values('nodemaintenances.nodemaintenance.k8s.io')].map(readAs<NodeMaintenance>)
  const drainedMaintenances = maintenances.filter(isDrained).length
  return { podsLeft, drainedMaintenances, watchesMax: watches.max, requests }
}

function tell(message: ManyNodesMessage): void {
  process.send?.(message)
}

await using cluster = await serveFilledCluster('many-nodes', fill, [
  startDeploymentController,
  startReplicaSetController,
  startDisruption,
  startGarbageCollector,
  startScheduler,
  startKubelet,
])
const { store, kubeconfigPath } = cluster
process.on('message', () => tell({ kind: 'state', state: stateOf(store) }))
tell({ kind: 'ready', kubeconfigPath, pods: store.count('pods'), namespaces: store.count('namespaces') })
await new Promise((resolve) => process.once('disconnect', resolve))
