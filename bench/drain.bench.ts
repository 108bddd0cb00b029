// NodeMaintenances beside kubectl drain, on a real Kubernetes: PART=storm, real, interception or slow for one part
import { startCluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { openRoadProxy } from '../test/cluster/road-proxy.ts'
import { startLifeboat, type LifeboatProcess } from '../test/cluster/lifeboat.ts'
import { bareEvictionRate } from './bare-pods.ts'
import { asInstalled } from './as-installed.ts'
import { buildRelease } from './build-release.ts'
import { printBoth, printIntercepted, printSlow } from './drain-figures.ts'
import { drainByKubectl, drainByLifeboat, giveBack, type Drain, type Ground } from './drain-round.ts'
import {
  createApplications,
  createNodes,
  nodesOf,
  startAgain,
  untilHealthy,
  worlds,
  type World,
} from './drain-world.ts'
import { printLine, renderFigure } from './report.ts'
import { openRequestLog } from './request-log.ts'
import { reviewsWithin } from './review-times.ts'
import { SlowRoad } from './slow-road.ts'

const limits = { runWithinMs: 3_600_000 }
const bare = { count: 1_000, atOnce: 50, rounds: 2 }
/** Each drainer drains so often, in turns: a machine is not equally fast all the time. */
const rounds = 2
const slow = { delayMs: 50, requestsPerSecond: 100 }
/** What a review may take. */
const reviewMs = 20
const parts = ['storm', 'real', 'interception', 'slow'] as const
type Part = (typeof parts)[number]

const overdue = setTimeout(() => {
  console.error(`gave up after ${limits.runWithinMs / 60_000} minutes: is the machine busy with something else?`)
  // The watchdog of the cluster ends what it started.
  process.exit(1)
}, limits.runWithinMs)

function wantedParts(): readonly Part[] {
  const wanted = process.env['PART'] ?? ''
  if (wanted === '') return parts
  const found = parts.find((part) => part === wanted)
  if (found === undefined) throw new Error(`PART is "${wanted}": it must be one of ${parts.join(', ')}`)
  return [found]
}

/** A cluster full of pods, for as long as the work takes. */
async function inWorld(world: World, work: (ground: Ground) => Promise<void>): Promise<void> {
  await using log = await openRequestLog()
  const { nodes, applications, replicas } = world
  console.log(`\n${world.name}: ${nodes} nodes, ${applications * replicas} pods in ${applications} Deployments`)
  await using cluster = await startCluster({ apiServerFlags: log.apiServerFlags })
  await using connection = await connect(cluster)
  const { kube } = connection
  await createNodes(kube, world)
  if (world.name === 'storm') await printBareRate(kube, world)
  await createApplications(kube, world)
  await untilHealthy(kube, world)
  await work({ cluster, kube, log, world })
}

async function printBareRate(kube: Ground['kube'], { nodes }: World): Promise<void> {
  let best = 0
  for (let round = 0; round < bare.rounds; round++) {
    const pods = { namespace: `bare-${round}`, count: bare.count, nodes }
    best = Math.max(best, await bareEvictionRate({ kube, evicting: [kube] }, pods, bare.atOnce))
  }
  const what = `raw limit: evictions, ${bare.atOnce} at a time`
  printLine(renderFigure({ what, unit: 'a second, no budgets', value: best }))
}

/** Lifeboat from its start to its end; afterwards its webhooks are gone. */
async function withLifeboat<Result>(
  kubeconfigPath: string,
  work: (lifeboat: LifeboatProcess) => Promise<Result>,
): Promise<Result> {
  await using lifeboat = await startLifeboat(kubeconfigPath, [], release.path, asInstalled)
  return await work(lifeboat)
}

async function inTurns(ground: Ground): Promise<void> {
  const { cluster, kube, world } = ground
  const [kubectl, lifeboat]: [Drain[], Drain[]] = [[], []]
  for (let round = 1; round <= rounds; round++) {
    if (round > 1) await startAgain(kube, world, [])
    console.log(`${world.drained} kubectl drain at once, round ${round} of ${rounds}`)
    kubectl.push(await drainByKubectl(ground))
    const startRate = await startAgain(kube, world, nodesOf(world, 'kubectl'))
    if (round === 1) {
      printLine(renderFigure({ what: 'raw limit: pods started', unit: 'a second, no drain', value: startRate }))
    }
    console.log(`one NodeMaintenance for ${world.drained} nodes, round ${round} of ${rounds}`)
    await withLifeboat(cluster.kubeconfigPath, async (process) => {
      lifeboat.push(await drainByLifeboat(ground, process))
      await giveBack(kube)
    })
  }
  printBoth(world, lifeboat, kubectl)
}

async function intercepted(ground: Ground): Promise<void> {
  const { cluster, world } = ground
  console.log(`${world.drained} kubectl drain at once, intercepted by Lifeboat`)
  await withLifeboat(cluster.kubeconfigPath, async (process) => {
    const drain = await drainByKubectl(ground, process)
    printIntercepted(drain, { reviewMs, share: await reviewsWithin(process.url, '/evictions/intercept', reviewMs) })
  })
}

async function slowed(ground: Ground): Promise<void> {
  const { cluster, world } = ground
  const { delayMs, requestsPerSecond } = slow
  console.log(
    `one NodeMaintenance; the API server takes ${delayMs} ms more, and ${requestsPerSecond} requests a second`,
  )
  await using proxy = await openRoadProxy(cluster, new SlowRoad(slow))
  await withLifeboat(proxy.kubeconfigPath, async (process) => printSlow(world, await drainByLifeboat(ground, process)))
}

await using release = await buildRelease()
const work: Readonly<Record<Part, () => Promise<void>>> = {
  storm: () => inWorld(worlds.storm, inTurns),
  real: () => inWorld(worlds.real, inTurns),
  interception: () => inWorld(worlds.storm, intercepted),
  slow: () => inWorld(worlds.storm, slowed),
}
for (const part of wantedParts()) await work[part]()
clearTimeout(overdue)
