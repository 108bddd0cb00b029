// our client beside @kubernetes/client-node, against the same API server
import { channel } from 'node:diagnostics_channel'
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node'
import { pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { startCluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { inParallel } from './in-parallel.ts'
import { printLine, renderComparison, type Comparison } from './report.ts'

const namespace = 'default'
const podCount = 5_000
const rounds = 3
const gets = { perRound: 1_000, atOnce: 30 }

const buildPod = (name: string) => ({
  metadata: { namespace, name, labels: { app: 'bench' } },
  spec: { containers: [{ name: 'main', image: 'none' }] },
})
const podName = (at: number) => `pod-${at % podCount}`

/** Counts the TCP connections that this process opens, whoever opens them. */
function countConnections(): { take(): number } {
  let opened = 0
  channel('net.client.socket').subscribe(() => opened++)
  return {
    take: () => {
      const taken = opened
      opened = 0
      return taken
    },
  }
}

async function readWatch(kube: Kube, resourceVersion: string): Promise<void> {
  let seen = 0
  for await (const event of kube.watch(pods, { namespace, resourceVersion, timeoutSeconds: 120 })) {
    if (event.kind === 'modified' && ++seen === podCount) return
  }
  throw new Error(`the watch ended after ${seen} events`)
}

async function readTheirWatch(config: KubeConfig, resourceVersion: string): Promise<void> {
  const done = Promise.withResolvers<void>()
  let seen = 0
  const path = `/api/v1/namespaces/${namespace}/pods`
  const stop = await new Watch(config).watch(
    path,
    { resourceVersion, allowWatchBookmarks: true },
    (phase) => {
      if (phase === 'MODIFIED' && ++seen === podCount) done.resolve()
    },
    (error) => done.reject(error instanceof Error ? error : new Error('the watch ended')),
  )
  await done.promise
  stop.abort()
}

console.log(`starting a cluster with ${podCount} pods`)
await using cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
{
  await using connection = await connect(cluster)
  await inParallel(podCount, 30, (at) => connection.kube.create(pods, buildPod(podName(at))))
}

const connections = countConnections()
// The client under test begins without a connection, as theirs does.
await using connection = await connect(cluster)
const { kube } = connection
const config = new KubeConfig()
config.loadFromFile(cluster.kubeconfigPath)
const theirs = config.makeApiClient(CoreV1Api)
const seconds = { ours: { get: 0, list: 0, watch: 0 }, theirs: { get: 0, list: 0, watch: 0 } }
const opened = { ours: 0, theirs: 0 }

async function measure(
  whose: 'ours' | 'theirs',
  what: 'get' | 'list' | 'watch',
  work: () => Promise<unknown>,
): Promise<void> {
  connections.take()
  const startMs = performance.now()
  await work()
  seconds[whose][what] += (performance.now() - startMs) / 1_000
  opened[whose] += connections.take()
}

// In turns, so that whatever else the machine does falls on both.
for (let round = 0; round < rounds; round++) {
  await measure('ours', 'get', () =>
    inParallel(gets.perRound, gets.atOnce, (at) => kube.get(pods, { namespace, name: podName(at) })),
  )
  await measure('theirs', 'get', () =>
    inParallel(gets.perRound, gets.atOnce, (at) => theirs.readNamespacedPod({ namespace, name: podName(at) })),
  )
}
for (let round = 0; round < rounds; round++) {
  await measure('ours', 'list', () => kube.list(pods, { namespace }))
  await measure('theirs', 'list', () => theirs.listNamespacedPod({ namespace }))
}
// The server keeps its latest events: a watch from before them gets all of them as fast as it can read.
const { resourceVersion } = await kube.list(pods, { namespace, labelSelector: 'app=none' })
const patch = { type: 'merge', body: { metadata: { labels: { turn: 'two' } } } } as const
await inParallel(podCount, 30, (at) => kube.patch(pods, { namespace, name: podName(at) }, patch))
for (let round = 0; round < rounds; round++) {
  await measure('ours', 'watch', () => readWatch(kube, resourceVersion))
  await measure('theirs', 'watch', () => readTheirWatch(config, resourceVersion))
}

function perSecond(what: 'get' | 'list' | 'watch', count: number) {
  return { ours: (count * rounds) / seconds.ours[what], theirs: (count * rounds) / seconds.theirs[what] }
}
console.log('ours: src/kube; theirs: @kubernetes/client-node; the same API server, the same process, in turns')
const comparisons: Comparison[] = [
  {
    what: `GET of a pod, ${gets.atOnce} at a time`,
    unit: 'requests/s',
    ...perSecond('get', gets.perRound),
    wanted: { ratioMin: 3 },
  },
  { what: `list of ${podCount} pods`, unit: 'lists/s', ...perSecond('list', 1) },
  { what: `watch of ${podCount} events`, unit: 'events/s', ...perSecond('watch', podCount) },
  { what: 'connections opened for all of it', unit: 'connections', ...opened, wanted: { oursMax: 40 } },
]
for (const comparison of comparisons) printLine(renderComparison(comparison))
