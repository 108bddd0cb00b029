// 40 nodes drained by one NodeMaintenance, beside 40 kubectl drain at once, on a real Kubernetes
import { conditionIsTrue } from '../src/api/schema/condition.ts'
import { nodes } from '../src/api/kubernetes/resources.ts'
import { drainedCondition, nodeMaintenances, type NodeMaintenance } from '../src/api/maintenance/node-maintenance.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { Informer } from '../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { startCluster, type Cluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
import type { New } from '../src/api/kubernetes/meta.ts'
import { bareEvictionRate } from './bare-pods.ts'
import { observe, type Observed } from './drain-observer.ts'
import { createApplications, createNodes, drainedBy, nodesOf, size, startAnew, untilHealthy } from './drain-world.ts'
import { processorTimes, timeBetween } from './processor-time.ts'
import { printLine, renderComparison, renderFigure } from './report.ts'
import { countBy, openRequestLog, type RequestLog, type SeenRequest } from './request-log.ts'
import { waitUntil } from './wait-until.ts'

const limits = { drainWithinMs: 300_000, quietWithinMs: 300_000, quietMs: 5_000, runWithinMs: 1_500_000 }
const bare = { count: 1_000, nodes: size.nodes, atOnce: 50, rounds: 2 }
/** Below it a request is not worth a line. */
const perPodShown = 0.01

interface Drain {
  readonly seconds: number
  readonly observed: Observed
  /** To the end of the drain, and of what it left to do, such as events. */
  readonly requests: readonly SeenRequest[]
  /** Milliseconds of a core, by component of the cluster. */
  readonly processorMs: ReadonlyMap<string, number>
}

async function drainByKubectl(cluster: Cluster, kube: Kube, log: RequestLog): Promise<Drain> {
  const names = nodesOf('kubectl')
  // What the server can do is then known to all of them, as on the machine of an admin.
  await cluster.kubectl(['drain', names[0] ?? '', '--dry-run=server'])
  const observer = await observe(kube, names)
  const mark = await log.mark()
  const before = await processorTimes(cluster.pids())
  const startedMs = performance.now()
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${limits.drainWithinMs / 1_000}s`]
  await Promise.all(names.map((name) => cluster.kubectl(['drain', name, ...flags])))
  const seconds = (performance.now() - startedMs) / 1_000
  const processorMs = timeBetween(before, await processorTimes(cluster.pids()))
  const observed = await observer.stop()
  const requests = (await log.since(mark)).filter(({ userAgent }) => userAgent.startsWith('kubectl/'))
  return { seconds, observed, requests, processorMs }
}

const maintenance: New<NodeMaintenance> = {
  metadata: { name: 'bench' },
  spec: {
    nodeSelector: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: drainedBy, operator: 'In', values: ['lifeboat'] }] }],
    },
    stage: 'Drain',
  },
}

/** By a watch: asking again and again would cost the API server what a drain needs. */
async function untilDrained(kube: Kube, podsLeft: () => number): Promise<void> {
  const world = { kube, clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const informer = new Informer({ ...world, resource: nodeMaintenances })
  const stop = new AbortController()
  const following = informer.run(stop.signal)
  const wanted = { what: 'the NodeMaintenance says Drained', withinMs: limits.drainWithinMs, everyMs: 10 }
  try {
    await waitUntil(wanted, () => {
      const status = informer.get({ name: 'bench' })?.status
      const isDrained = conditionIsTrue(status?.conditions, drainedCondition)
      return isDrained ? undefined : `${podsLeft()} pods are left; ${JSON.stringify(status?.drainStatus)}`
    })
  } finally {
    stop.abort(new Error('seen enough'))
    await following
  }
}

async function drainByLifeboat(
  kube: Kube,
  log: RequestLog,
  pids: ReadonlyMap<string, number>,
): Promise<Drain & { readonly late: number }> {
  const observer = await observe(kube, nodesOf('lifeboat'))
  const mark = await log.mark()
  const before = await processorTimes(pids)
  const startedMs = performance.now()
  await kube.create(nodeMaintenances, maintenance)
  await untilDrained(kube, () => observer.left())
  const endMs = performance.now()
  const processorMs = timeBetween(before, await processorTimes(pids))
  const observed = await observer.stop()
  const ofLifeboat = async () =>
    (await log.since(mark)).filter(
      ({ userAgent, resource }) => userAgent.startsWith('lifeboat/') && resource !== 'leases',
    )
  const atEnd = await ofLifeboat()
  let requests = atEnd
  await waitUntil({ what: 'Lifeboat is quiet', withinMs: limits.quietWithinMs, everyMs: limits.quietMs }, async () => {
    const count = requests.length
    requests = await ofLifeboat()
    return requests.length === count && requests !== atEnd ? undefined : `${requests.length - count} more requests`
  })
  const late = requests.length - atEnd.length
  return { seconds: (endMs - startedMs) / 1_000, observed, requests, processorMs, late }
}

function refused({ requests }: Drain): number {
  return requests.filter(({ resource, code }) => resource === 'pods/eviction' && code === 429).length
}

function evictions({ requests }: Drain): number {
  return requests.filter(({ verb, resource }) => verb === 'create' && resource === 'pods/eviction').length
}

function printDrains(lifeboat: Drain & { readonly late: number }, kubectl: Drain): void {
  const compare = (
    what: string,
    unit: string,
    of: (drain: Drain) => number,
    wanted?: Parameters<typeof renderComparison>[0]['wanted'],
  ) =>
    printLine(
      renderComparison({
        what,
        unit,
        ours: of(lifeboat),
        theirs: of(kubectl),
        ...(wanted === undefined ? {} : { wanted }),
      }),
    )
  console.log(
    `ours: one NodeMaintenance; theirs: ${size.drained} kubectl drain at once, on other ${size.drained} nodes, before Lifeboat was there`,
  )
  compare('wall time', 's', ({ seconds }) => seconds, { ratioMax: 0.25 })
  compare('pods moved', 'pods', ({ observed }) => observed.moved)
  compare('pods moved a second', 'pods', ({ observed, seconds }) => observed.moved / seconds)
  compare('refused evictions', 'evictions', refused)
  compare('eviction calls', 'a pod', (drain) => evictions(drain) / drain.observed.moved, { oursMax: 1.05 })
  compare('API requests', 'a pod', (drain) => drain.requests.length / drain.observed.moved, { ratioMax: 0.7 })
  const verbs = new Set([...lifeboat.requests, ...kubectl.requests].map(({ verb }) => verb))
  const ofVerb = (verb: string) => (drain: Drain) =>
    drain.requests.filter((request) => request.verb === verb).length / drain.observed.moved
  for (const verb of [...verbs].toSorted()) compare(`  ${verb}`, 'a pod', ofVerb(verb))
  compare('pod-seconds below wanted', 'pod-seconds', ({ observed }) => observed.pods.podSeconds, { oursMax: 0 })
  compare('lowest number of ready pods', `of ${size.replicas}`, ({ observed }) => observed.pods.lowest)
  const byDeployments = 'pod-seconds below, as Deployments say'
  compare(byDeployments, 'pod-seconds', ({ observed }) => observed.deployments.podSeconds)
  const processor = (name: string) => (drain: Drain) => (drain.processorMs.get(name) ?? 0) / drain.observed.moved
  for (const name of lifeboat.processorMs.keys()) compare(`core-ms of ${name}`, 'a pod', processor(name))
  const lag = lifeboat.seconds - lifeboat.observed.lastGoneSeconds
  printLine(renderFigure({ what: 'last pod gone to Drained', unit: 's', value: lag }))
  printLine(renderFigure({ what: 'requests after Drained', unit: 'requests', value: lifeboat.late }))
  for (const [who, { requests, observed }] of Object.entries({ Lifeboat: lifeboat, kubectl })) {
    for (const [name, count] of countBy(requests, ({ verb, resource }) => `${verb} ${resource}`)) {
      const value = count / observed.moved
      if (value >= perPodShown) printLine(renderFigure({ what: `${who}'s ${name}`, unit: 'a pod', value }))
    }
  }
}

const overdue = setTimeout(() => {
  console.error(`gave up after ${limits.runWithinMs / 60_000} minutes: is the machine busy with something else?`)
  // The watchdog of the cluster ends what it started.
  process.exit(1)
}, limits.runWithinMs)
await using log = await openRequestLog()
console.log(`starting a cluster with ${size.nodes} nodes`)
await using cluster = await startCluster({ apiServerFlags: log.apiServerFlags })
await using connection = await connect(cluster)
await using second = await connect(cluster)
const { kube } = connection
await createNodes(kube)
await waitUntil({ what: 'all nodes are ready', withinMs: 60_000 }, async () => {
  const { items } = await kube.list(nodes)
  const ready = items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: said }) => type === 'Ready' && said === 'True'),
  )
  return ready.length === size.nodes ? undefined : `${ready.length} of ${size.nodes} are`
})
let bareRate = 0
for (let round = 0; round < bare.rounds; round++) {
  // One client has fewer connections than we want to use.
  const clients = { kube, evicting: [kube, second.kube] } as const
  const rate = await bareEvictionRate(clients, { namespace: `bare-${round}`, ...bare }, bare.atOnce)
  bareRate = Math.max(bareRate, rate)
}
console.log(`starting ${size.applications * size.replicas} pods in ${size.applications} Deployments`)
await createApplications(kube)
await untilHealthy(kube)
console.log(`${size.drained} kubectl drain`)
const kubectl = await drainByKubectl(cluster, kube, log)
console.log(`drained in ${kubectl.seconds.toFixed(1)} s; uncordoning the nodes and starting all pods anew`)
const startRate = await startAnew(kube, nodesOf('kubectl'))
console.log('one NodeMaintenance')
await using started = await startLifeboat(cluster.kubeconfigPath)
const lifeboat = await drainByLifeboat(
  kube,
  log,
  new Map<string, number>([...cluster.pids(), ['lifeboat', started.pid]]),
)
const evicted = `raw limit: evictions, ${bare.atOnce} at a time`
printLine(renderFigure({ what: evicted, unit: 'a second, no budgets', value: bareRate }))
printLine(renderFigure({ what: 'raw limit: pods started', unit: 'a second, no drain', value: startRate }))
const { moved } = lifeboat.observed
const allowed = moved / bareRate + moved / startRate
printLine(renderFigure({ what: `${moved} pods at these limits`, unit: 's', value: allowed }))
printDrains(lifeboat, kubectl)
clearTimeout(overdue)
