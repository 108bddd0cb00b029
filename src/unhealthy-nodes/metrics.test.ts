import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { noUnhealthyNodeMetrics, prometheusUnhealthyNodeMetrics } from './metrics.ts'

test('counts what was asked for and withdrawn, and the nodes behind it', async () => {
  const registry = new Registry()
  const metrics = prometheusUnhealthyNodeMetrics(registry, () => 2)
  metrics.requested('requested')
  metrics.requested('requested')
  metrics.requested('gone')
  metrics.withdrawn(3)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toContain('unhealthy_node_evacuation_requests_total{result="requested"} 2')
  expect(lines).toContain('unhealthy_node_evacuation_requests_total{result="gone"} 1')
  expect(lines).toContain('unhealthy_node_evacuation_withdrawals_total 3')
  expect(lines).toContain('unhealthy_nodes 2')
  expect(() => noUnhealthyNodeMetrics.requested('gone')).not.toThrow()
})
