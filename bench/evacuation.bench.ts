// a thousand Evacuations at once, beside a bare loop of evictions at the same API server
import { evacuations, type Evacuation } from '../src/api/evacuation.ts'
import { evacuationName } from '../src/api/evacuation-name.ts'
import { instigatorFinalizer } from '../src/api/instigator-finalizers.ts'
import type { Node, Pod } from '../src/api/kubernetes/core.ts'
import { namespaces, nodes, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client.ts'
import { buildNode } from '../test/build/nodes-and-pods.ts'
import { startCluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
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

/** Seconds from the call until every pod of the namespace is on its way out. */
async function evicted(kube: Kube, namespace: string, begin: () => Promise<unknown>): Promise<number> {
  const { resourceVersion } = await kube.list(pods, { namespace, pageSize: 1 })
  const going = new Set<string>()
  const watching = (async () => {
    for await (const event of kube.watch(pods, { namespace, resourceVersion, timeoutSeconds: 300 })) {
      if (event.kind === 'bookmark') continue
      const { name = '', deletionTimestamp } = event.object.metadata
      if (deletionTimestamp !== undefined || event.kind === 'deleted') going.add(name)
      if (going.size === podCount) return
    }
    throw new Error(`only ${going.size} pods went`)
  })()
  const startedMs = performance.now()
  await Promise.all([begin(), watching])
  return (performance.now() - startedMs) / 1_000
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

async function requestsByVerb(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^kube_client_requests_total\{verb="(\w+)",resource="([^"]+)",code="\d+"\} (\d+)$/gm)
  const counts = new Map<string, number>()
  for (const [, verb, resource, count] of lines) {
    const name = `${verb} ${resource}`
    counts.set(name, (counts.get(name) ?? 0) + Number(count))
  }
  return counts
}

await using cluster = await startCluster()
await using connection = await connect(cluster)
const { kube } = connection
for (let at = 0; at < nodeCount; at++) {
  await kube.create(nodes, buildNode({ name: `node-${at}`, capacity: { pods: '1000' } }) as unknown as Node)
}
await using lifeboat = await startLifeboat(cluster.kubeconfigPath)
const best = { bare: 0, ours: 0 }
let counted = new Map<string, number>()
for (let round = 0; round < rounds; round++) {
  const bare = await createPods(kube, `bare-${round}`)
  const bareSeconds = await evicted(kube, `bare-${round}`, () =>
    inParallel(podCount, atOnce, async (at) => {
      const { namespace = '', name = '', uid = '' } = bare[at]?.metadata ?? {}
      await kube.evict({ namespace, name, uid })
    }),
  )
  best.bare = Math.max(best.bare, podCount / bareSeconds)
  await untilEmpty(kube, `bare-${round}`)
  const moved = await createPods(kube, `moved-${round}`)
  const before = await requestsByVerb(lifeboat.url)
  const seconds = await evicted(kube, `moved-${round}`, () =>
    inParallel(podCount, atOnce, (at) => kube.create(evacuations, evacuationOf(moved[at] as Pod))),
  )
  best.ours = Math.max(best.ours, podCount / seconds)
  await untilEmpty(kube, `moved-${round}`)
  const after = await requestsByVerb(lifeboat.url)
  counted = new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]))
}
console.log(`${podCount} pods on ${nodeCount} nodes, ${atOnce} requests at once, best of ${rounds}`)
console.log(
  renderComparison({
    what: 'evictions, from the first Evacuation on',
    unit: 'a second',
    ours: best.ours,
    theirs: best.bare,
    wanted: { ratioMin: 0.7 },
  }),
)
for (const [name, count] of [...counted].toSorted().filter(([, many]) => many >= podCount / 100)) {
  console.log(renderFigure({ what: `Lifeboat's ${name}`, unit: 'a pod', value: count / podCount }))
}
