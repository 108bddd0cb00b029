// a thousand Evacuations at once, beside a bare loop of evictions at the same API server
import { evacuations, type Evacuation } from '../src/api/evacuation.ts'
import { evacuationName } from '../src/api/evacuation-name.ts'
import { instigatorFinalizer } from '../src/api/instigator-finalizers.ts'
import type { Pod } from '../src/api/kubernetes/core.ts'
import { namespaces, nodes, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client.ts'
import { Informer } from '../src/kube/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { buildNode } from '../test/build/nodes-and-pods.ts'
import { startCluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat, type LifeboatProcess } from '../test/cluster/lifeboat.ts'
import { inParallel } from './in-parallel.ts'
import { renderComparison, renderFigure } from './report.ts'

const podCount = 1_000
const nodeCount = 20
const atOnce = 50
const rounds = 2

async function createPods(kube: Kube, namespace: string): Promise<Pod[]> {
  await kube.create(namespaces, { metadata: { name: namespace } })
  await inParallel(podCount, atOnce, async (at) => {
    const spec = { containers: [{ name: 'main', image: 'web:1' }], nodeName: `node-${at % nodeCount}` }
    await kube.create(pods, { metadata: { name: `pod-${at}`, namespace, labels: { app: 'bench' } }, spec })
  })
  for (;;) {
    const { items } = await kube.list(pods, { namespace })
    const ready = items.filter(({ status }) => status?.phase === 'Running')
    if (ready.length === podCount) return ready
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** Pods of the namespace a second, from `begin`, or from the first that goes, to the last that is on its way out. */
async function evictionRate(
  kube: Kube,
  namespace: string,
  from: 'begin' | 'first',
  begin: () => Promise<unknown>,
): Promise<number> {
  const stop = new AbortController()
  const world = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const informer = new Informer({ kube, ...world, resource: pods, selection: { namespace } })
  const going = new Set<string>()
  const all = Promise.withResolvers<void>()
  let startedMs = 0
  informer.subscribe(({ kind, object: { metadata } }) => {
    if (kind !== 'deleted' && metadata.deletionTimestamp === undefined) return
    if (going.size === 0 && from === 'first') startedMs = performance.now()
    going.add(metadata.name ?? '')
    if (going.size === podCount) all.resolve()
  })
  const running = informer.run(stop.signal)
  await informer.synced()
  if (from === 'begin') startedMs = performance.now()
  await Promise.all([begin(), all.promise])
  const seconds = (performance.now() - startedMs) / 1_000
  stop.abort(new Error('all are on their way'))
  await running
  return podCount / seconds
}

async function untilEmpty(kube: Kube, namespace: string): Promise<void> {
  for (;;) {
    const left = await Promise.all([
      kube.list(pods, { namespace }),
      kube.list(evacuations, { namespace }).catch(() => ({ items: [] })),
    ])
    if (left.every(({ items }) => items.length === 0)) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

function evacuationOf(pod: Pod): Evacuation {
  const podRef = { name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }
  const finalizers = [instigatorFinalizer('bench.example.com')]
  const { namespace = '' } = pod.metadata
  return {
    metadata: { name: evacuationName(podRef), namespace, finalizers },
    spec: { podRef, progressDeadlineSeconds: 1_800 },
  }
}

type Calls = ReadonlyMap<string, number>

async function requestsByVerb(url: string): Promise<Calls> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^kube_client_requests_total\{verb="(\w+)",resource="([^"]+)",code="\d+"\} (\d+)$/gm)
  const counts = new Map<string, number>()
  for (const [, verb, resource, count] of lines) {
    const name = `${verb} ${resource}`
    counts.set(name, (counts.get(name) ?? 0) + Number(count))
  }
  return counts
}

const byName = ([one]: readonly [string, number], [other]: readonly [string, number]) => (one < other ? -1 : 1)

async function bareLoop(kube: Kube, round: number): Promise<number> {
  const namespace = `bare-${round}`
  const created = await createPods(kube, namespace)
  const rate = await evictionRate(kube, namespace, 'begin', () =>
    inParallel(podCount, atOnce, async (at) => {
      const { name = '', uid = '' } = created[at]?.metadata ?? {}
      await kube.evict({ namespace, name, uid })
    }),
  )
  await untilEmpty(kube, namespace)
  return rate
}

/** All of them are there when Lifeboat begins. */
async function allAtOnce(kube: Kube, round: number, kubeconfigPath: string): Promise<{ rate: number; calls: Calls }> {
  const namespace = `at-once-${round}`
  const created = await createPods(kube, namespace)
  await inParallel(podCount, atOnce, (at) => kube.create(evacuations, evacuationOf(created[at] as Pod)))
  let lifeboat: LifeboatProcess | undefined
  const rate = await evictionRate(kube, namespace, 'first', async () => {
    lifeboat = await startLifeboat(kubeconfigPath)
  })
  await untilEmpty(kube, namespace)
  const calls = await requestsByVerb(lifeboat?.url ?? '')
  await lifeboat?.end('SIGTERM')
  return { rate, calls }
}

/** Each of them checked by the webhook while those before are evicted. */
async function oneByOne(kube: Kube, kubeconfigPath: string): Promise<number> {
  await using _lifeboat = await startLifeboat(kubeconfigPath)
  const created = await createPods(kube, 'one-by-one')
  const rate = await evictionRate(kube, 'one-by-one', 'begin', () =>
    inParallel(podCount, atOnce, (at) => kube.create(evacuations, evacuationOf(created[at] as Pod))),
  )
  await untilEmpty(kube, 'one-by-one')
  return rate
}

await using cluster = await startCluster()
await using connection = await connect(cluster)
const { kube } = connection
for (let at = 0; at < nodeCount; at++) {
  await kube.create(nodes, buildNode({ name: `node-${at}`, capacity: { pods: '1000' } }))
}
const best = { bare: 0, atOnce: 0 }
// Before Lifeboat is there: it looks at the evictions of others too.
for (let round = 0; round < rounds; round++) best.bare = Math.max(best.bare, await bareLoop(kube, round))
// This installs what an Evacuation needs to be created, and leaves it there.
const throughWebhook = await oneByOne(kube, cluster.kubeconfigPath)
let counted: Calls = new Map()
for (let round = 0; round < rounds; round++) {
  const { rate, calls } = await allAtOnce(kube, round, cluster.kubeconfigPath)
  best.atOnce = Math.max(best.atOnce, rate)
  counted = calls
}
console.log(`${podCount} pods on ${nodeCount} nodes, ${atOnce} requests at once, best of ${rounds}`)
const unit = 'a second'
const theirs = best.bare
const what = 'evictions, all Evacuations there at once'
console.log(renderComparison({ what, unit, ours: best.atOnce, theirs, wanted: { ratioMin: 0.7 } }))
const created = 'evictions, with their creation, checked'
console.log(renderComparison({ what: created, unit, ours: throughWebhook, theirs }))
for (const [name, count] of [...counted].toSorted(byName).filter(([, many]) => many >= podCount / 100)) {
  console.log(renderFigure({ what: `Lifeboat's ${name}`, unit: 'a pod', value: count / podCount }))
}
