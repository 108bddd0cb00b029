// The cluster of bench/idle.bench.ts, in a process of its own: large, and nothing happens but what kubelets report.
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { keyOf, type Stored, type Store } from '../src/embedded/server/store.ts'
import { storedMeta } from '../test/build/stored.ts'
import { serveFilledCluster } from './filled-cluster.ts'
import { buildLargeNode, buildSmallPod } from './idle-objects.ts'

/** What the parent is told. */
export type ClusterMessage =
  | { readonly kind: 'ready'; readonly kubeconfigPath: string }
  | { readonly kind: 'requests'; readonly requests: readonly IdleRequest[] }

export interface IdleRequest {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly userAgent: string
}

const [nodeCount = 0, podCount = 0, reportEverySeconds = 300] = process.argv.slice(2).map(Number)
const nodeStatusEveryMs = reportEverySeconds * 1_000
const leaseEveryMs = 10_000
const tickMs = 100

function fill(store: Store): void {
  const put = (resource: string, object: Stored) => store.put(resource, keyOf(object.metadata), object)
  for (let at = 0; at < nodeCount; at++) put('nodes', buildLargeNode(at, Date.now()))
  for (let at = 0; at < podCount; at++) put('pods', buildSmallPod(at, `node-${at % nodeCount}`))
}

/** The sign of life of a kubelet. */
function renew(store: Store, at: number): void {
  const metadata = storedMeta({ name: `node-${at}`, namespace: 'kube-node-lease' })
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { renewTime: Date.now() } }
  store.put('leases.coordination.k8s.io', keyOf(metadata), lease)
}

/** Kubelets report their nodes, one after the other. */
function reportNodes(store: Store): Disposable {
  let [reported, debt] = [0, 0]
  let [renewed, due] = [0, 0]
  const timer = setInterval(() => {
    for (debt += (nodeCount * tickMs) / nodeStatusEveryMs; debt >= 1; debt--) {
      const node = buildLargeNode(reported++ % nodeCount, Date.now())
      store.put('nodes', keyOf(node.metadata), node)
    }
    for (due += (nodeCount * tickMs) / leaseEveryMs; due >= 1; due--) renew(store, renewed++ % nodeCount)
  }, tickMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function tell(message: ClusterMessage): void {
  process.send?.(message)
}

await using cluster = await serveFilledCluster('idle', fill)
const { kubeconfigPath } = cluster
let requests: IdleRequest[] = []
subscribe('http.server.request.start', (message) => {
  const { method = '', url = '', headers } = (message as { request: IncomingMessage }).request
  requests.push({ method, url, userAgent: headers['user-agent'] ?? '' })
})
using _reports = reportNodes(cluster.store)
// Whatever the parent says, it wants what came since it last asked.
process.on('message', () => {
  tell({ kind: 'requests', requests })
  requests = []
})
tell({ kind: 'ready', kubeconfigPath })
await new Promise((resolve) => process.once('disconnect', resolve))
