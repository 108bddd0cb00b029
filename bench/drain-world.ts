import { setTimeout as pause } from 'node:timers/promises'
import { deployments, namespaces, nodes, podDisruptionBudgets, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { buildBudget, buildDeployment, buildNode } from '../test/build/nodes-and-pods.ts'
import { inParallel } from './in-parallel.ts'
import { waitUntil } from './wait-until.ts'

/** 4,000 pods on 200 nodes: 40 of them for each to drain. */
export const size = { nodes: 200, drained: 40, applications: 100, replicas: 40 } as const
export const namespace = 'applications'
export const drainedBy = 'bench.lifeboat.test/drained-by'

const zones = ['europe-1a', 'europe-1b', 'europe-1c']
const atOnce = 25
/** How long nothing may have changed before a measurement begins. */
const restMs = 3_000
const limits = { healthyWithinMs: 300_000, goneWithinMs: 300_000 }
const applicationName = (at: number) => `application-${at}`

/** The first nodes are kubectl's, the next as many Lifeboat's. */
function drainerOf(at: number): string {
  return at < size.drained ? 'kubectl' : at < 2 * size.drained ? 'lifeboat' : 'nobody'
}

export function nodesOf(drainer: 'kubectl' | 'lifeboat'): string[] {
  return Array.from({ length: size.nodes }, (_, at) => at)
    .filter((at) => drainerOf(at) === drainer)
    .map((at) => `node-${at}`)
}

export async function createNodes(kube: Kube): Promise<void> {
  await inParallel(size.nodes, atOnce, (at) => {
    const name = `node-${at}`
    const zone = zones[at % zones.length] ?? ''
    return kube.create(nodes, buildNode({ name, zone, labels: { [drainedBy]: drainerOf(at) } }))
  })
}

export async function createApplications(kube: Kube): Promise<void> {
  await kube.create(namespaces, { metadata: { name: namespace } })
  await inParallel(size.applications, atOnce, async (at) => {
    const name = applicationName(at)
    const budget = buildBudget({ name, namespace, selector: { app: name }, maxUnavailable: '10%' })
    await kube.create(podDisruptionBudgets, budget)
    await kube.create(deployments, buildDeployment({ name, namespace, replicas: size.replicas }))
  })
}

/**
 * So that the next to drain finds what the one before found: all nodes schedulable, and the pods spread over them anew.
 * Resolves to how many pods a second the cluster starts when nobody asks for anything else.
 */
export async function startAnew(kube: Kube, cordoned: readonly string[]): Promise<number> {
  const uncordon = { type: 'merge', body: { spec: { unschedulable: null } } } as const
  await inParallel(cordoned.length, atOnce, (at) => kube.patch(nodes, { name: cordoned[at] ?? '' }, uncordon))
  await scale(kube, 0)
  await waitUntil({ what: 'all pods of the applications are gone', withinMs: limits.goneWithinMs }, async () => {
    const { items } = await kube.list(pods, { namespace })
    return items.length === 0 ? undefined : `${items.length} are left`
  })
  await pause(restMs)
  const startedMs = performance.now()
  await scale(kube, size.replicas)
  await waitUntil({ what: 'all applications are available', withinMs: limits.healthyWithinMs }, async () => {
    const available = await countAvailable(kube)
    return available === size.applications ? undefined : `${available} of ${size.applications} are`
  })
  const seconds = (performance.now() - startedMs) / 1_000
  await untilHealthy(kube)
  return (size.applications * size.replicas) / seconds
}

async function scale(kube: Kube, replicas: number): Promise<void> {
  const patch = { type: 'merge', body: { spec: { replicas } } } as const
  await inParallel(size.applications, atOnce, (at) =>
    kube.patch(deployments, { namespace, name: applicationName(at) }, patch),
  )
}

async function countAvailable(kube: Kube): Promise<number> {
  const { items } = await kube.list(deployments, { namespace })
  return items.filter(({ status }) => status?.availableReplicas === size.replicas).length
}

/** Waits until every application has all of its pods and its budget knows, and then a little longer. */
export async function untilHealthy(kube: Kube): Promise<void> {
  await waitUntil({ what: 'all applications are healthy', withinMs: limits.healthyWithinMs }, async () => {
    const available = await countAvailable(kube)
    const { items: budgets } = await kube.list(podDisruptionBudgets, { namespace })
    const known = budgets.filter(({ status }) => status?.currentHealthy === size.replicas).length
    return available === size.applications && known === size.applications
      ? undefined
      : `${available} of ${size.applications} are, and ${known} of their budgets say so`
  })
  await pause(restMs)
}
