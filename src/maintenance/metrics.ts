import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { stages } from '../api/maintenance/stage.ts'

export interface MaintenanceMetrics {
  /** How long it took to find out which pods leave which node. */
  resolved(elapsedMs: number): void
  requested(result: 'requested' | 'gone' | 'refused'): void
  cordonReverted(): void
}

export const noMaintenanceMetrics: MaintenanceMetrics = {
  resolved: () => {},
  requested: () => {},
  cordonReverted: () => {},
}

type Maintenances = readonly NodeMaintenance[]

/** What a single maintenance does is in its status; here are sums over what is there at each scrape. */
export function prometheusMaintenanceMetrics(registry: Registry, maintenances: () => Maintenances): MaintenanceMetrics {
  const registers = [registry]
  const resolutions = new Histogram({
    name: 'node_maintenance_resolution_seconds',
    help: 'How long it took to resolve the drain plans of all maintenances',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
    registers,
  })
  const requests = new Counter({
    name: 'node_maintenance_evacuation_requests_total',
    help: 'Evacuations that maintenances asked for, by result',
    labelNames: ['result'],
    registers,
  })
  const reverts = new Counter({
    name: 'node_maintenance_cordon_reverts_total',
    help: 'How often a node under maintenance was made schedulable by others and cordoned again',
    registers,
  })
  void new Gauge({
    name: 'node_maintenances',
    help: 'NodeMaintenances by stage',
    labelNames: ['stage'],
    registers,
    collect() {
      for (const stage of stages) this.set({ stage }, maintenances().filter(({ spec }) => spec.stage === stage).length)
    },
  })
  drainGauge('node_maintenance_nodes', 'Nodes that draining maintenances select', ({ nodesTotal }) => nodesTotal)
  drainGauge('node_maintenance_nodes_drained', 'Nodes of those that are drained', ({ nodesDrained }) => nodesDrained)
  drainGauge(
    'node_maintenance_pods_pending',
    'Pods on those nodes whose evacuation has not started',
    ({ podsPendingEvacuation }) => podsPendingEvacuation,
  )
  drainGauge(
    'node_maintenance_pods_evacuating',
    'Pods on those nodes that have an Evacuation',
    ({ podsEvacuating }) => podsEvacuating,
  )
  return {
    resolved: (elapsedMs) => resolutions.observe(elapsedMs / 1_000),
    requested: (result) => requests.inc({ result }),
    cordonReverted: () => reverts.inc(),
  }

  function drainGauge(
    name: string,
    help: string,
    valueOf: (status: NonNullable<NodeMaintenance['status']>['drainStatus']) => number,
  ): void {
    void new Gauge({
      name,
      help,
      labelNames: ['maintenance'],
      registers,
      collect() {
        this.reset()
        for (const { metadata, spec, status } of maintenances()) {
          if (spec.stage !== 'Drain' || status === undefined) continue
          this.set({ maintenance: metadata.name }, valueOf(status.drainStatus))
        }
      },
    })
  }
}
