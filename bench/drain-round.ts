import { setTimeout as pause } from 'node:timers/promises'
import { conditionIsTrue } from '../src/api/schema/condition.ts'
import { drainedCondition, nodeMaintenances, type NodeMaintenance } from '../src/api/maintenance/node-maintenance.ts'
import type { New } from '../src/api/kubernetes/meta.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { Informer } from '../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import type { Cluster } from '../test/cluster/cluster.ts'
import type { LifeboatProcess } from '../test/cluster/lifeboat.ts'
import { observe, type Observed } from './drain-observer.ts'
import { drainedBy, nodesOf, type World } from './drain-world.ts'
import { peakMemoryOf } from './process-memory.ts'
import { childrensTime, processorTimes, timeBetween } from './processor-time.ts'
import type { RequestLog, SeenRequest } from './request-log.ts'
import { waitUntil } from './wait-until.ts'

const limits = { drainWithinMs: 600_000, quietWithinMs: 300_000, quietMs: 5_000 }

/** Where drains are measured. */
export interface Ground {
  readonly cluster: Cluster
  readonly kube: Kube
  readonly log: RequestLog
  readonly world: World
}

/** One drain: all figures but the time are until the cluster has come to rest. */
export interface Drain {
  readonly seconds: number
  readonly observed: Observed
  /** Of all clients. */
  readonly requests: readonly SeenRequest[]
  /** Milliseconds of a core, by component of the cluster, and of who drains. */
  readonly processorMs: ReadonlyMap<string, number>
  /** From the last pod that went to the end of the drain. */
  readonly lagSeconds: number
  readonly peakMegabytes: number
}

export function ofLifeboat({ requests }: Drain): readonly SeenRequest[] {
  return requests.filter(({ userAgent, resource }) => userAgent.startsWith('lifeboat/') && resource !== 'leases')
}

export function ofKubectl({ requests }: Drain): readonly SeenRequest[] {
  return requests.filter(({ userAgent }) => userAgent.startsWith('kubectl/'))
}

interface Measured {
  /** Resolves when the nodes are drained. */
  readonly drain: (podsLeft: () => number) => Promise<void>
  readonly drained: readonly string[]
  /** Beside the components of the cluster. */
  readonly lifeboat?: LifeboatProcess
}

async function measure(ground: Ground, { drain, drained, lifeboat }: Measured): Promise<Drain> {
  const { cluster, kube, log, world } = ground
  const pids = new Map<string, number>([
    ...cluster.pids(),
    ...(lifeboat === undefined ? [] : [['lifeboat', lifeboat.pid] as const]),
  ])
  const observer = await observe(kube, world, drained)
  const mark = await log.mark()
  const [before, kubectlBefore] = [await processorTimes(pids), await childrensTime()]
  const startedMs = performance.now()
  await drain(() => observer.left())
  const seconds = (performance.now() - startedMs) / 1_000
  const observed = await observer.stop()
  let requests: SeenRequest[] = []
  await waitUntil({ what: 'all is quiet', withinMs: limits.quietWithinMs, everyMs: limits.quietMs }, async () => {
    const count = requests.length
    requests = (await log.since(mark)).filter(({ resource }) => resource !== 'leases')
    const more = requests.filter(({ userAgent }) => !userAgent.startsWith('lifeboat-test')).length - count
    return count > 0 && requests.length === count ? undefined : `${more} more requests`
  })
  const processorMs = timeBetween(before, await processorTimes(pids))
  const kubectlMs = (await childrensTime()) - kubectlBefore
  return {
    seconds,
    observed,
    requests,
    processorMs: new Map([...processorMs, ...(kubectlMs > 0 ? [['kubectl', kubectlMs] as const] : [])]),
    lagSeconds: seconds - observed.lastGoneSeconds,
    peakMegabytes: lifeboat === undefined ? 0 : await peakMemoryOf(lifeboat.pid),
  }
}

/** One `kubectl drain` a node, all at once. With Lifeboat there, it intercepts the evictions. */
export async function drainByKubectl(ground: Ground, lifeboat?: LifeboatProcess): Promise<Drain> {
  const { cluster, world } = ground
  const drained = nodesOf(world, 'kubectl')
  // What the server can do is then known to all of them, as on the machine of an admin.
  await cluster.kubectl(['drain', drained[0] ?? '', '--dry-run=server'])
  await pause(limits.quietMs)
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${limits.drainWithinMs / 1_000}s`]
  return measure(ground, {
    drained,
    ...(lifeboat === undefined ? {} : { lifeboat }),
    drain: async () => void (await Promise.all(drained.map((name) => cluster.kubectl(['drain', name, ...flags])))),
  })
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

/** One NodeMaintenance for all nodes. */
export async function drainByLifeboat(ground: Ground, lifeboat: LifeboatProcess): Promise<Drain> {
  const { kube, world } = ground
  return measure(ground, {
    drained: nodesOf(world, 'lifeboat'),
    lifeboat,
    drain: async (podsLeft) => {
      await kube.create(nodeMaintenances, maintenance)
      await untilStatus(kube, (found) => conditionIsTrue(found?.status?.conditions, drainedCondition), podsLeft)
    },
  })
}

/** Takes the maintenance away, which gives its nodes back. */
export async function giveBack(kube: Kube): Promise<void> {
  await kube.delete(nodeMaintenances, { name: maintenance.metadata.name })
  await untilStatus(
    kube,
    (found) => found === undefined,
    () => 0,
  )
}

/** By a watch: asking again and again would cost the API server what a drain needs. */
async function untilStatus(
  kube: Kube,
  isOver: (found: NodeMaintenance | undefined) => boolean,
  podsLeft: () => number,
): Promise<void> {
  const parts = { kube, clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const informer = new Informer({ ...parts, resource: nodeMaintenances })
  const stop = new AbortController()
  const following = informer.run(stop.signal)
  await informer.synced()
  const wanted = { what: 'the NodeMaintenance says so', withinMs: limits.drainWithinMs, everyMs: 10 }
  try {
    await waitUntil(wanted, () => {
      const found = informer.get({ name: maintenance.metadata.name })
      return isOver(found) ? undefined : `${podsLeft()} pods are left; ${JSON.stringify(found?.status?.drainStatus)}`
    })
  } finally {
    stop.abort(new Error('seen enough'))
    await following
  }
}
