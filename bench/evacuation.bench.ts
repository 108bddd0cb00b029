// a thousand Evacuations at once, beside a bare loop of evictions at the same API server
import { evacuations, type Evacuation } from '../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../src/api/evacuation/evacuation-name.ts'
import { instigatorFinalizer } from '../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../src/api/kubernetes/core.ts'
import type { New } from '../src/api/kubernetes/meta.ts'
import { nodes } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { buildNode } from '../test/build/nodes-and-pods.ts'
import { startCluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat, type LifeboatProcess } from '../test/cluster/lifeboat.ts'
import { bareEvictionRate, createBarePods, evictionRate, untilEmpty } from './bare-pods.ts'
import { inParallel } from './in-parallel.ts'
import { printLine, renderComparison, renderFigure } from './report.ts'

const podCount = 1_000
const nodeCount = 20
const atOnce = 50
const rounds = 2
const size = { count: podCount, nodes: nodeCount }

function evacuationOf(pod: Pod): New<Evacuation> {
  const { namespace, name, uid } = pod.metadata
  const podRef = { name, uid }
  const finalizers = [instigatorFinalizer('bench.example.com')]
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

/** All of them are there when Lifeboat begins. */
async function allAtOnce(kube: Kube, round: number, kubeconfigPath: string): Promise<{ rate: number; calls: Calls }> {
  const bare = { namespace: `at-once-${round}`, ...size }
  const created = await createBarePods(kube, bare)
  await inParallel(podCount, atOnce, (at) => kube.create(evacuations, evacuationOf(created[at] as Pod)))
  let lifeboat: LifeboatProcess | undefined
  const rate = await evictionRate(kube, bare, 'first', async () => {
    lifeboat = await startLifeboat(kubeconfigPath)
  })
  await untilEmpty(kube, bare.namespace)
  const calls = await requestsByVerb(lifeboat?.url ?? '')
  await lifeboat?.end('SIGTERM')
  return { rate, calls }
}

/** Each of them checked by the webhook while those before are evicted. */
async function oneByOne(kube: Kube, kubeconfigPath: string): Promise<number> {
  await using _lifeboat = await startLifeboat(kubeconfigPath)
  const bare = { namespace: 'one-by-one', ...size }
  const created = await createBarePods(kube, bare)
  const rate = await evictionRate(kube, bare, 'begin', () =>
    inParallel(podCount, atOnce, (at) => kube.create(evacuations, evacuationOf(created[at] as Pod))),
  )
  await untilEmpty(kube, bare.namespace)
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
for (let round = 0; round < rounds; round++) {
  const bare = { namespace: `bare-${round}`, ...size }
  best.bare = Math.max(best.bare, await bareEvictionRate({ kube, evicting: [kube] }, bare, atOnce))
}
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
printLine(renderComparison({ what, unit, ours: best.atOnce, theirs, wanted: { ratioMin: 0.7 } }))
const created = 'evictions, with their creation, checked'
printLine(renderComparison({ what: created, unit, ours: throughWebhook, theirs }))
for (const [name, count] of [...counted].toSorted(byName).filter(([, many]) => many >= podCount / 100)) {
  printLine(renderFigure({ what: `Lifeboat's ${name}`, unit: 'a pod', value: count / podCount }))
}
