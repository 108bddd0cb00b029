import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { prometheusKubeMetrics } from './metrics.ts'

test('requests, relists and ends of watches are counted by label', async () => {
  const registry = new Registry()
  const metrics = prometheusKubeMetrics(registry)
  metrics.answered({ verb: 'get', resource: 'pods' }, 200, 12)
  metrics.answered({ verb: 'watch', resource: 'pods' }, 200, 0)
  metrics.relisted('pods')
  metrics.watchEnded('pods', 'expired')
  const text = await registry.metrics()
  expect(text).toContain('kube_client_requests_total{verb="get",resource="pods",code="200"} 1')
  expect(text).toContain('kube_client_request_duration_seconds_bucket{le="0.025",verb="get",resource="pods"} 1')
  expect(text).not.toContain('kube_client_request_duration_seconds_count{verb="watch"')
  expect(text).toContain('kube_client_relists_total{resource="pods"} 1')
  expect(text).toContain('kube_client_watch_ends_total{resource="pods",why="expired"} 1')
})
