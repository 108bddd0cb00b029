import { Registry } from 'prom-client'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'
import type { InProcessWebhooks } from '../../embedded/server/admission/webhooks/webhook-caller.ts'
import type { EmbeddedCluster } from '../../embedded/cluster.ts'
import type { Kube } from '../../kube/client/client.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { openClient } from '../../manager/run/clients.ts'
import { install } from '../../manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../manager/install/installation-names.ts'
import { openManager, type Manager } from '../../manager/run/manager.ts'
import type { Clock } from '../../runtime/clock.ts'
import { silentLog } from '../../runtime/log.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import type { Random } from '../../runtime/random.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import type { Embedded } from '../connect/load-embedded.ts'
import type { DemoObject } from './applications.ts'
import { countingEvictions, type EvictionTally } from './eviction-tally.ts'
import { inProcessServing } from './in-process-serving.ts'
import type { ClusterCounts } from './script.ts'

export interface StageOptions {
  readonly clock: Clock
  readonly random: Random
  readonly embedded: Embedded
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
  /** How many the cluster has; twelve if not given. */
  readonly nodes?: number
}

/** A cluster in this process, and ways to act on it. */
export interface Stage extends StageOptions, AsyncDisposable {
  readonly cluster: EmbeddedCluster
  readonly webhooks: InProcessWebhooks
  readonly transport: Transport
  /** As an admin. */
  readonly kube: Kube
}

export const nodeCount = 12
const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const account = {
  name: userOfServiceAccount(installation.namespace),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${installation.namespace}`, 'system:authenticated'],
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { clock, random, nodes: count = nodeCount } = options
  const { builtInAdmission, InProcessWebhooks, openEmbeddedCluster } = options.embedded
  const webhooks = new InProcessWebhooks()
  const cluster = await openEmbeddedCluster({
    clock,
    random,
    log: silentLog,
    nodes: count,
    admission: builtInAdmission,
    webhookCaller: webhooks,
  })
  const transport = cluster.transport(admin)
  return {
    ...options,
    cluster,
    webhooks,
    transport,
    kube: clientOf(transport, options),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** A client whose evictions are counted. */
export function countedClient(stage: Stage, tally: EvictionTally): Kube {
  return clientOf(countingEvictions(stage.transport, tally), stage)
}

function clientOf(transport: Transport, { clock, random }: StageOptions): Kube {
  return openClient({ transport, clock, random, metrics: noKubeMetrics })
}

/** Lifeboat as it runs anywhere: all of its controllers and webhooks, under its own account. */
export async function openLifeboat(stage: Stage, tally: EvictionTally): Promise<Manager> {
  const { clock, random, cluster, kube, signal } = stage
  await install({ kube, clock, signal }, installation.namespace)
  const transport = countingEvictions(cluster.transport(account), tally)
  const manager = await openManager({
    transport,
    urgentTransport: transport,
    registrar: { transport: stage.transport, rights: 'createAndDelete' },
    clock,
    random,
    log: silentLog,
    gates: featureGateDefaults,
    namespace: installation.namespace,
    identity: 'demo',
    webhooks: inProcessServing(stage.webhooks, 'lifeboat'),
    registry: new Registry(),
    controllerEvictTimeoutMs: 60_000,
  })
  try {
    await Promise.race([manager.ready(), manager.failed, untilAborted(signal)])
    await until(stage, 'Lifeboat leads', () => manager.isLeading())
  } catch (error) {
    await manager[Symbol.asyncDispose]()
    throw error
  }
  return manager
}

const limits = { lookEveryMs: 50, patienceMs: 60_000 }

/** Nothing in the demo takes longer than a minute: whatever does has failed, and says what it was. */
export async function until(
  { clock, signal }: StageOptions,
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const patience = { clock, signal, withinMs: limits.patienceMs, everyMs: limits.lookEveryMs }
  const isAtLast = await lookUntil(patience, async () => ((await isSo()) ? true : undefined))
  if (isAtLast === undefined) throw new Error(`the demo waited for a minute in vain: ${what}`)
}

export async function createAll({ kube, signal }: Stage, objects: readonly DemoObject[]): Promise<void> {
  for (const { resource, object } of objects) await kube.create(resource, object, { signal })
}

export async function setSchedulable({ kube, signal }: Stage, name: string, schedulable: boolean): Promise<void> {
  await kube.patch(nodes, { name }, { type: 'merge', body: { spec: { unschedulable: !schedulable } } }, { signal })
}

export async function podsOn({ kube, signal }: Stage, node: string) {
  return (await kube.list(pods, { fieldSelector: `spec.nodeName=${node}`, signal })).items
}

export async function readyPodsOf({ kube, signal }: Stage, app: string): Promise<number> {
  const { items } = await kube.list(pods, { labelSelector: `app=${app}`, signal })
  return items.filter(isReady).length
}

export async function countCluster({ kube, signal }: Stage): Promise<ClusterCounts> {
  const [ofNodes, ofPods] = await Promise.all([kube.list(nodes, { signal }), kube.list(pods, { signal })])
  const zones = new Set(ofNodes.items.map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']))
  return { nodes: ofNodes.items.length, zones: zones.size, pods: ofPods.items.length }
}
