import type { Registry } from 'prom-client'
import { knowsDaemonSets, type FeatureGates } from '../api/feature-gates.ts'
import { EvacuationController } from '../evacuation/evacuation-controller.ts'
import { prometheusEvacuationMetrics } from '../evacuation/metrics.ts'
import { EvictStrategyController } from '../evacuators/evict-strategy/evict-strategy-controller.ts'
import { SurgeRestorer } from '../evacuators/horizontal-pod-autoscaler/surge-restorer.ts'
import { HeldPods } from '../evacuators/daemon-set/held-pods.ts'
import { FormerlyHeldPods } from '../evacuators/daemon-set/release-held-pods.ts'
import { WorkloadCaches } from '../evacuators/workload/workload-caches.ts'
import { WorkloadController } from '../evacuators/workload/workload-controller.ts'
import { workloadEvacuatorsFor } from '../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../kube/client.ts'
import type { ClusterEvent } from '../kube/cluster-event.ts'
import type { KubeMetrics } from '../kube/metrics.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { QueueMetrics } from '../runtime/work-queue.ts'

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
  readonly controllerEvictTimeoutMs: number
}

/** Every controller of Lifeboat that its gate allows. */
export function listControllers(parts: ControllerParts): Controller[] {
  const { gates } = parts
  const listed: readonly [isOn: boolean, make: (parts: ControllerParts) => Controller | Controller[]][] = [
    [gates.EvacuationAPI, evacuationControllers],
    [knowsDaemonSets(gates), heldPods],
    [!knowsDaemonSets(gates), formerlyHeldPods],
  ]
  return listed.filter(([isOn]) => isOn).flatMap(([, make]) => make(parts))
}

function evacuationControllers(parts: ControllerParts): Controller[] {
  const controller = evacuationController(parts)
  const { kube, clock, random, log, kubeMetrics: metrics } = parts
  const caches = new WorkloadCaches({ kube, clock, random, log, metrics })
  const evacuators = workloadEvacuatorsFor(parts.gates).map((evacuator) => {
    const evacuatorLog = log.child({ controller: evacuator.evacuatorClass })
    return new WorkloadController({
      ...parts,
      metrics,
      log: evacuatorLog,
      evacuator,
      caches,
      evacuations: controller.informer,
    })
  })
  const shared = { ...parts, metrics, evacuations: controller.informer, caches }
  const restorer = new SurgeRestorer({ ...shared, log: log.child({ controller: 'autoscaler-surges' }) })
  const strategy = new EvictStrategyController({ ...shared, log: log.child({ controller: 'evict-strategy' }) })
  return [controller, ...evacuators, restorer, ...(parts.gates.PodEvictPolicy ? [strategy] : [])]
}

function evacuationController({ registry, gates, ...parts }: ControllerParts): EvacuationController {
  const controller: EvacuationController = new EvacuationController({
    ...parts,
    log: parts.log.child({ controller: 'evacuations' }),
    podEvictPolicy: gates.PodEvictPolicy,
    metrics: prometheusEvacuationMetrics(registry, () => controller.list()),
  })
  return controller
}

function heldPods({ kubeMetrics, ...parts }: ControllerParts): Controller {
  return new HeldPods({ ...parts, log: parts.log.child({ controller: 'held-pods' }), metrics: kubeMetrics })
}

function formerlyHeldPods({ kube, clock, log }: ControllerParts): Controller {
  return new FormerlyHeldPods({ kube, clock, log: log.child({ controller: 'formerly-held-pods' }) })
}
