import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { noShutdownMetrics, prometheusShutdownMetrics } from './metrics.ts'

test('counts shutdowns by what became of them', async () => {
  const registry = new Registry()
  const metrics = prometheusShutdownMetrics(registry)
  metrics.noted('held')
  metrics.noted('held')
  metrics.noted('cancelled')
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toContain('node_shutdowns_total{outcome="held"} 2')
  expect(lines).toContain('node_shutdowns_total{outcome="cancelled"} 1')
  expect(() => noShutdownMetrics.noted('letGo')).not.toThrow()
})
