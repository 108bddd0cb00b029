import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { newNodeMaintenanceStatus, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { noMaintenanceMetrics, prometheusMaintenanceMetrics } from './metrics.ts'

const maintenance = (
  name: string,
  stage: NodeMaintenance['spec']['stage'],
  drainStatus: object = {},
): NodeMaintenance => ({
  metadata: storedMeta({ name }),
  spec: { stage, nodeSelector: { nodeSelectorTerms: [] } },
  status: { drainStatus: { ...newNodeMaintenanceStatus.drainStatus, ...drainStatus } },
})

test('what there is, by stage and maintenance, and what was done', async () => {
  const registry = new Registry()
  const metrics = prometheusMaintenanceMetrics(registry, () => [
    maintenance('a', 'Drain', { nodesTotal: 5, nodesDrained: 2, podsPendingEvacuation: 30, podsEvacuating: 4 }),
    maintenance('b', 'Complete', { nodesTotal: 7 }),
  ])
  metrics.resolved(3)
  metrics.requested('requested')
  metrics.cordonReverted()
  const text = await registry.metrics()
  for (const line of [
    'node_maintenances{stage="Drain"} 1',
    'node_maintenances{stage="Idle"} 0',
    'node_maintenance_nodes{maintenance="a"} 5',
    'node_maintenance_nodes_drained{maintenance="a"} 2',
    'node_maintenance_pods_pending{maintenance="a"} 30',
    'node_maintenance_pods_evacuating{maintenance="a"} 4',
    'node_maintenance_evacuation_requests_total{result="requested"} 1',
    'node_maintenance_cordon_reverts_total 1',
    'node_maintenance_resolution_seconds_bucket{le="0.005"} 1',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(text).not.toContain('maintenance="b"')
})

test('nobody has to count', () => {
  expect(() => {
    noMaintenanceMetrics.resolved(1)
    noMaintenanceMetrics.requested('gone')
    noMaintenanceMetrics.cordonReverted()
  }).not.toThrow()
})
