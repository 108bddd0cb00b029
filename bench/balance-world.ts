import { setTimeout as pause } from 'node:timers/promises'
import { deployments, namespaces, nodes, podDisruptionBudgets, pods } from '../src/api/kubernetes/resources.ts'
import { requestsOf, type RequestingPod } from '../src/api/kubernetes/pod-requests.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { buildBudget, buildDeployment, buildNode } from '../test/build/nodes-and-pods.ts'
import { inParallel } from './in-parallel.ts'
import { waitUntil } from './wait-until.ts'

/** An application of the unbalanced cluster. */
export interface Application {
  readonly name: string
  readonly replicas: number
  /** Thousandths of a core. */
  readonly cpu: number
}

export interface WorldSize {
  readonly nodes: number
  /** All pods start on the first of them. */
  readonly crowded: number
  /** How many applications there are of each number of replicas. */
  readonly applications: Readonly<Record<number, number>>
}

export const namespace = 'applications'
const cores = 32
const requestsOfCpu = [200, 300, 400]
const atOnce = 25
const limits = { nodesWithinMs: 60_000, healthyWithinMs: 180_000 }
/** How long nothing may have changed before a measurement begins. */
const restMs = 3_000
const zone = 'topology.kubernetes.io/zone'
/** Nobody is Ready at once: an application that lost a pod misses it for so long. */
const readyAfter = '2s'

export function applicationsOf({ applications }: WorldSize): readonly Application[] {
  return Object.entries(applications)
    .flatMap(([replicas, count]) => Array.from({ length: count }, () => Number(replicas)))
    .map((replicas, at) => ({
      name: `application-${at}`,
      replicas,
      cpu: requestsOfCpu[at % requestsOfCpu.length] ?? 0,
    }))
}

/** Most of the crowded nodes are in the first zone, and all zones are of about the same size. */
function zoneOf(at: number, { crowded }: WorldSize): string {
  const letters = at < crowded ? 'aaaabc' : 'abcbc'
  return `europe-1${letters[at % letters.length]}`
}

/** Everything runs on a few nodes, and all others are empty. */
export async function createUnbalanced(kube: Kube, size: WorldSize): Promise<void> {
  await inParallel(size.nodes, atOnce, (at) => {
    const capacity = { cpu: String(cores) }
    const { spec, ...node } = buildNode({ name: `node-${at}`, zone: zoneOf(at, size), capacity })
    return kube.create(nodes, { ...node, spec: { ...(spec as object), unschedulable: at >= size.crowded } })
  })
  await waitUntil({ what: 'all nodes are ready', withinMs: limits.nodesWithinMs }, async () => {
    const { items } = await kube.list(nodes)
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: said }) => type === 'Ready' && said === 'True'),
    )
    return ready.length === size.nodes ? undefined : `${ready.length} of ${size.nodes} are`
  })
  const applications = applicationsOf(size)
  await kube.create(namespaces, { metadata: { name: namespace } })
  await inParallel(applications.length, atOnce, async (at) => {
    const application = applications[at]
    if (application !== undefined) await createApplication(kube, application)
  })
  await untilHealthy(kube, applications)
  const uncordon = { type: 'merge', body: { spec: { unschedulable: null } } } as const
  await inParallel(size.nodes, atOnce, (at) => kube.patch(nodes, { name: `node-${at}` }, uncordon))
  await pause(restMs)
}

/** A single pod has a budget that never lets it be evicted; others may miss a tenth of their pods. */
async function createApplication(kube: Kube, { name, replicas, cpu }: Application): Promise<void> {
  const allowed = replicas === 1 ? { minAvailable: 1 } : { maxUnavailable: '10%' }
  await kube.create(podDisruptionBudgets, buildBudget({ name, namespace, selector: { app: name }, ...allowed }))
  const spread = {
    maxSkew: 2,
    topologyKey: zone,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: name } },
  }
  const pod = { readyAfter, requests: { cpu: `${cpu}m` }, spec: { topologySpreadConstraints: [spread] } }
  await kube.create(deployments, buildDeployment({ name, namespace, replicas, pod }))
}

export async function untilHealthy(kube: Kube, applications: readonly Application[]): Promise<void> {
  const replicasOf = new Map(applications.map(({ name, replicas }) => [name, replicas]))
  await waitUntil({ what: 'all applications are healthy', withinMs: limits.healthyWithinMs }, async () => {
    const { items } = await kube.list(deployments, { namespace })
    const healthy = items.filter(({ metadata, status }) => {
      const wanted = replicasOf.get(metadata.name)
      return status?.availableReplicas === wanted && status?.replicas === wanted
    })
    return healthy.length === applications.length ? undefined : `${healthy.length} of ${applications.length} are`
  })
}

/** What share of each node's cores its pods ask for, in percent. */
export async function utilizationOf(kube: Kube, size: WorldSize): Promise<number[]> {
  const used = new Map(Array.from({ length: size.nodes }, (_, at) => [`node-${at}`, 0]))
  const { items } = await kube.list(pods, { namespace })
  for (const pod of items) {
    const node = pod.spec?.nodeName ?? ''
    used.set(node, (used.get(node) ?? 0) + (requestsOf(pod as RequestingPod).get('cpu') ?? 0))
  }
  return [...used.values()].map((share) => (share / (cores * 1_000)) * 100)
}
