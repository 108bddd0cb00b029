import { setTimeout as pause } from 'node:timers/promises'
import { deployments, namespaces, nodes, podDisruptionBudgets, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { buildBudget, buildDeployment, buildNode, type PodSettings } from '../test/build/nodes-and-pods.ts'
import { inParallel } from './in-parallel.ts'
import { waitUntil } from './wait-until.ts'

export interface World {
  readonly name: 'storm' | 'real'
  readonly nodes: number
  /** So many of them for kubectl, and as many for Lifeboat. */
  readonly drained: number
  readonly applications: number
  /** Of each application. */
  readonly replicas: number
  readonly pod: PodSettings
}

export const worlds = {
  /** Pods start and end at once, so what decides is what the API server can bear. */
  storm: { name: 'storm', nodes: 200, drained: 40, applications: 100, replicas: 40, pod: {} },
  /** Waiting for pods decides, as in most clusters. */
  real: {
    name: 'real',
    nodes: 60,
    drained: 10,
    applications: 30,
    replicas: 40,
    pod: { readyAfter: '10s', terminateAfter: '5s' },
  },
} as const satisfies Record<string, World>

export const namespace = 'applications'
export const drainedBy = 'bench.lifeboat.test/drained-by'
export type Drainer = 'kubectl' | 'lifeboat'

const zones = ['europe-1a', 'europe-1b', 'europe-1c']
const atOnce = 25
/** How long nothing may have changed before a measurement begins. */
const restMs = 3_000
const limits = { readyWithinMs: 60_000, healthyWithinMs: 300_000, goneWithinMs: 300_000 }
const applicationName = (at: number) => `application-${at}`

/** The first nodes are kubectl's, the next as many Lifeboat's. */
function drainerOf(world: World, at: number): Drainer | 'nobody' {
  return at < world.drained ? 'kubectl' : at < 2 * world.drained ? 'lifeboat' : 'nobody'
}

export function nodesOf(world: World, drainer: Drainer): string[] {
  return Array.from({ length: world.nodes }, (_, at) => at)
    .filter((at) => drainerOf(world, at) === drainer)
    .map((at) => `node-${at}`)
}

export async function createNodes(kube: Kube, world: World): Promise<void> {
  await inParallel(world.nodes, atOnce, (at) => {
    const name = `node-${at}`
    const zone = zones[at % zones.length] ?? ''
    return kube.create(nodes, buildNode({ name, zone, labels: { [drainedBy]: drainerOf(world, at) } }))
  })
  await waitUntil({ what: 'all nodes are ready', withinMs: limits.readyWithinMs }, async () => {
    const { items } = await kube.list(nodes)
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: said }) => type === 'Ready' && said === 'True'),
    )
    return ready.length === world.nodes ? undefined : `${ready.length} of ${world.nodes} are`
  })
}

export async function createApplications(kube: Kube, { applications, replicas, pod }: World): Promise<void> {
  await kube.create(namespaces, { metadata: { name: namespace } })
  await inParallel(applications, atOnce, async (at) => {
    const name = applicationName(at)
    const budget = buildBudget({ name, namespace, selector: { app: name }, maxUnavailable: '10%' })
    await kube.create(podDisruptionBudgets, budget)
    await kube.create(deployments, buildDeployment({ name, namespace, replicas, pod }))
  })
}

/**
 * So that the next to drain finds what the one before found: all nodes schedulable, and the pods spread over them
 * again. Resolves to how many pods a second the cluster starts when no client asks for anything else.
 */
export async function startAgain(kube: Kube, world: World, cordoned: readonly string[]): Promise<number> {
  const { applications, replicas } = world
  const uncordon = { type: 'merge', body: { spec: { unschedulable: null } } } as const
  await inParallel(cordoned.length, atOnce, (at) => kube.patch(nodes, { name: cordoned[at] ?? '' }, uncordon))
  await scale(kube, world, 0)
  await waitUntil({ what: 'all pods of the applications are gone', withinMs: limits.goneWithinMs }, async () => {
    const { items } = await kube.list(pods, { namespace })
    return items.length === 0 ? undefined : `${items.length} are left`
  })
  await pause(restMs)
  const startedMs = performance.now()
  await scale(kube, world, replicas)
  await waitUntil({ what: 'all applications are available', withinMs: limits.healthyWithinMs }, async () => {
    const available = await countAvailable(kube, world)
    return available === applications ? undefined : `${available} of ${applications} are`
  })
  const seconds = (performance.now() - startedMs) / 1_000
  await untilHealthy(kube, world)
  return (applications * replicas) / seconds
}

async function scale(kube: Kube, { applications }: World, replicas: number): Promise<void> {
  const patch = { type: 'merge', body: { spec: { replicas } } } as const
  await inParallel(applications, atOnce, (at) =>
    kube.patch(deployments, { namespace, name: applicationName(at) }, patch),
  )
}

async function countAvailable(kube: Kube, { replicas }: World): Promise<number> {
  const { items } = await kube.list(deployments, { namespace })
  return items.filter(({ status }) => status?.availableReplicas === replicas).length
}

/** Waits until every application has all of its pods and its budget knows, and then a little longer. */
export async function untilHealthy(kube: Kube, world: World): Promise<void> {
  const { applications, replicas } = world
  await waitUntil({ what: 'all applications are healthy', withinMs: limits.healthyWithinMs }, async () => {
    const available = await countAvailable(kube, world)
    const { items: budgets } = await kube.list(podDisruptionBudgets, { namespace })
    const known = budgets.filter(({ status }) => status?.currentHealthy === replicas).length
    return available === applications && known === applications
      ? undefined
      : `${available} of ${applications} are, and ${known} of their budgets say so`
  })
  await pause(restMs)
}
