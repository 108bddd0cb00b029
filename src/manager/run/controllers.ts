import { maintenanceInstigator, taintEvictionInstigator } from './instigators.ts'
import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import type { Registry } from 'prom-client'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { knowsDaemonSets, knowsMaintenances, knowsStaticPods, type FeatureGates } from '../../api/feature-gates.ts'
import { EvacuationController } from '../../evacuation/evacuation-controller.ts'
import { prometheusEvacuationMetrics } from '../../evacuation/metrics.ts'
import { EvictStrategyController } from '../../evacuators/evict-strategy/evict-strategy-controller.ts'
import { SurgeRestorer } from '../../evacuators/horizontal-pod-autoscaler/surge-restorer.ts'
import { ReleasedPods } from '../../evacuators/deployment/released-pods.ts'
import { FormerHolds } from '../../evacuators/daemon-set/former-holds.ts'
import { HeldPods } from '../../evacuators/daemon-set/held-pods.ts'
import { FormerlyHeldPods } from '../../evacuators/daemon-set/release-held-pods.ts'
import { ParkedPods } from '../../evacuators/static-pod/parked-pods.ts'
import { WorkloadCaches } from '../../evacuators/workload/workload-caches.ts'
import { allPods } from '../../evacuators/workload/workload-pools.ts'
import { WorkloadController } from '../../evacuators/workload/workload-controller.ts'
import { workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import type { InformerParts, InformerPool } from '../../kube/watch/informer-pool.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import type { KubeMetrics } from '../../kube/metrics.ts'
import { NodePods } from '../../kube/watch/node-pods.ts'
import { MaintenanceController } from '../../maintenance/controller.ts'
import { prometheusMaintenanceMetrics } from '../../maintenance/metrics.ts'
import { prometheusShutdownMetrics } from '../../maintenance/shutdown/metrics.ts'
import { ShutdownController } from '../../maintenance/shutdown/shutdown-controller.ts'
import type { ShutdownSettings } from '../../maintenance/shutdown/shutdown-settings.ts'
import { prometheusUnhealthyNodeMetrics } from '../../unhealthy-nodes/metrics.ts'
import { UnhealthyNodesController } from '../../unhealthy-nodes/unhealthy-nodes-controller.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import type { QueueMetrics } from '../../runtime/work-queue.ts'
import { claimsLookup } from './claims-lookup.ts'
import { nodeLookup } from './node-lookup.ts'
import {
  DeschedulingController,
  type DeschedulingAccess,
  type DeschedulingSettings,
} from '../descheduling/descheduling-controller.ts'
import { nodeAgents } from './node-agents.ts'

export interface ControllerParts {
  /** Writes only while leading. */
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: { record(event: ClusterEvent): void }
  readonly registry: Registry
  readonly kubeMetrics: KubeMetrics
  readonly queueMetrics: QueueMetrics
  readonly gates: FeatureGates
  /** Lifeboat's own, where the mailboxes of node agents are. */
  readonly namespace: string
  readonly controllerEvictTimeoutMs: number
  readonly shutdowns: ShutdownSettings
  /** Undefined: no descheduler runs in this process. */
  readonly descheduling?: (DeschedulingAccess & { readonly settings: DeschedulingSettings }) | undefined
}

/** Every controller of Lifeboat that its gate allows. */
export interface Controllers {
  readonly all: readonly Controller[]
  /** Undefined with its gate off. */
  readonly maintenances: MaintenanceController | undefined
}

interface Shared {
  readonly informed: InformerParts
  readonly podsOfAll: InformerPool<Pod>
  readonly nodePods: NodePods
  readonly caches: WorkloadCaches
  readonly parkedPods: ParkedPods
  readonly claims: ClaimsLookup
}

export function listControllers(parts: ControllerParts): Controllers {
  const { gates } = parts
  const informed = informerParts(parts)
  const podsOfAll = allPods(informed)
  const nodePods = new NodePods(informed, podsOfAll, () => maintenances?.knownNodes ?? Number.POSITIVE_INFINITY)
  const caches = new WorkloadCaches(informed, podsOfAll)
  const claims = claimsLookup({ ...parts, owners: caches })
  const shared = { informed, podsOfAll, nodePods, caches, parkedPods: parkedPods(parts), claims }
  const evacuations = gates.EvacuationAPI ? evacuationController(parts, shared) : undefined
  const maintenances: MaintenanceController | undefined =
    evacuations !== undefined && knowsMaintenances(gates)
      ? maintenanceController(parts, shared, evacuations.informer)
      : undefined
  const all = [
    ...(evacuations === undefined ? [] : [evacuations, ...evacuatorControllers(parts, shared, evacuations)]),
    ...(evacuations !== undefined && gates.PodEvictPolicy ? [unhealthyNodes(parts, evacuations.informer)] : []),
    ...(maintenances === undefined ? [] : [maintenances]),
    shared.parkedPods,
    shutdownController(parts, shared, maintenances),
    knowsDaemonSets(gates) ? heldPods(parts) : formerlyHeldPods(parts),
    ...deschedulingControllers(parts, shared),
  ]
  return { all, maintenances }
}

function informerParts({ kube, clock, random, log, kubeMetrics: metrics }: ControllerParts): InformerParts {
  return { kube, clock, random, log, metrics }
}

function evacuatorControllers(
  parts: ControllerParts,
  { nodePods, caches }: Shared,
  controller: EvacuationController,
): Controller[] {
  const { log, kubeMetrics: metrics } = parts
  const evacuators = workloadEvacuatorsFor(parts.gates, parts.namespace).map((evacuator) => {
    const evacuatorLog = log.child({ controller: evacuator.evacuatorClass })
    return new WorkloadController({
      ...parts,
      metrics,
      log: evacuatorLog,
      evacuator,
      caches,
      peekPod: (ref) => nodePods.peek(ref),
      evacuations: controller.informer,
      writer: controller.writer,
    })
  })
  const shared = { ...parts, metrics, evacuations: controller.informer, caches }
  const restorer = new SurgeRestorer({ ...shared, log: log.child({ controller: 'autoscaler-surges' }) })
  const strategy = new EvictStrategyController({ ...shared, log: log.child({ controller: 'evict-strategy' }) })
  const released = new ReleasedPods({ ...shared, log: log.child({ controller: 'released-pods' }) })
  const { informer, writer } = controller
  const formerHolds = new FormerHolds({
    ...parts,
    evacuations: informer,
    writer,
    log: log.child({ controller: 'former-holds' }),
  })
  return [
    ...evacuators,
    restorer,
    released,
    ...(knowsDaemonSets(parts.gates) ? [] : [formerHolds]),
    ...(parts.gates.PodEvictPolicy ? [strategy] : []),
  ]
}

function evacuationController({ registry, gates, ...parts }: ControllerParts, shared: Shared): EvacuationController {
  const controller: EvacuationController = new EvacuationController({
    ...parts,
    ...shared,
    log: parts.log.child({ controller: 'evacuations' }),
    podEvictPolicy: gates.PodEvictPolicy,
    node: nodeLookup(parts),
    ownEvacuators: new Set(
      workloadEvacuatorsFor(gates, parts.namespace)
        .filter(({ sparing }) => sparing === true)
        .map(({ evacuatorClass }) => evacuatorClass),
    ),
    metrics: prometheusEvacuationMetrics(registry, () => controller.list(), parts.clock),
  })
  return controller
}

function maintenanceController(
  { kubeMetrics, registry, gates, ...parts }: ControllerParts,
  { nodePods, parkedPods: { mailboxes }, claims }: Shared,
  evacuations: Informer<Evacuation>,
): MaintenanceController {
  const controller: MaintenanceController = new MaintenanceController({
    ...parts,
    log: parts.log.child({ controller: 'maintenances' }),
    metrics: kubeMetrics,
    maintenanceMetrics: prometheusMaintenanceMetrics(registry, () => controller.list()),
    nodePods,
    evacuations,
    instigator: maintenanceInstigator({ ...parts, gates, claims }),
    daemonSetsLeave: knowsDaemonSets(gates),
    agents: nodeAgents(mailboxes, { namespace: parts.namespace, staticPodsLeave: knowsStaticPods(gates) }),
  })
  return controller
}

function unhealthyNodes(
  { kubeMetrics: metrics, registry, ...parts }: ControllerParts,
  evacuations: Informer<Evacuation>,
): Controller {
  const controller: UnhealthyNodesController = new UnhealthyNodesController({
    ...parts,
    log: parts.log.child({ controller: 'unhealthy-nodes' }),
    metrics,
    unhealthyNodeMetrics: prometheusUnhealthyNodeMetrics(registry, () => controller.size),
    evacuations,
    instigator: taintEvictionInstigator(parts),
  })
  return controller
}

function heldPods({ kubeMetrics, ...parts }: ControllerParts): Controller {
  return new HeldPods({ ...parts, log: parts.log.child({ controller: 'held-pods' }), metrics: kubeMetrics })
}

function parkedPods({ kubeMetrics, gates, ...parts }: ControllerParts): ParkedPods {
  const log = parts.log.child({ controller: 'static-pods' })
  return new ParkedPods({ ...parts, log, metrics: kubeMetrics, isOn: knowsStaticPods(gates) })
}

/** Without maintenances too: a shutdown that an agent holds up must not wait where Lifeboat does not drain. */
function shutdownController(
  { kubeMetrics, registry, shutdowns: settings, ...parts }: ControllerParts,
  { parkedPods: { mailboxes } }: Shared,
  maintenances: MaintenanceController | undefined,
): Controller {
  return new ShutdownController({
    ...parts,
    log: parts.log.child({ controller: 'shutdowns' }),
    metrics: kubeMetrics,
    shutdownMetrics: prometheusShutdownMetrics(registry),
    mailboxes,
    maintenances: maintenances?.informer,
    settings,
  })
}

function formerlyHeldPods({ kube, clock, log }: ControllerParts): Controller {
  return new FormerlyHeldPods({ kube, clock, log: log.child({ controller: 'formerly-held-pods' }) })
}

function deschedulingControllers({ descheduling, ...parts }: ControllerParts, { claims }: Shared): Controller[] {
  if (descheduling === undefined) return []
  const log = parts.log.child({ controller: 'descheduling' })
  return [new DeschedulingController({ ...parts, ...descheduling, log, metrics: parts.kubeMetrics, claims })]
}
