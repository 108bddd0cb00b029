import type { Registry } from 'prom-client'
import type { FeatureGates } from '../api/feature-gates.ts'
import { EvacuationController } from '../evacuation/evacuation-controller.ts'
import { prometheusEvacuationMetrics } from '../evacuation/metrics.ts'
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
  const listed: readonly [isOn: boolean, make: (parts: ControllerParts) => Controller][] = [
    [gates.EvacuationAPI, evacuationController],
  ]
  return listed.filter(([isOn]) => isOn).map(([, make]) => make(parts))
}

function evacuationController({ registry, gates, ...parts }: ControllerParts): Controller {
  const controller: EvacuationController = new EvacuationController({
    ...parts,
    log: parts.log.child({ controller: 'evacuations' }),
    podEvictPolicy: gates.PodEvictPolicy,
    metrics: prometheusEvacuationMetrics(registry, () => controller.list()),
  })
  return controller
}
