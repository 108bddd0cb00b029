import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { prometheusAdmissionMetrics } from './metrics.ts'

test('reviews are counted and timed by webhook', async () => {
  const registry = new Registry()
  const metrics = prometheusAdmissionMetrics(registry)
  metrics.reviewed('/evacuations/mutate', 'allowed', 12)
  metrics.reviewed('/evacuations/mutate', 'denied', 40)
  metrics.reviewed('/evictions/intercept', 'failed', 7_000)
  const text = await registry.metrics()
  expect(text).toContain('admission_reviews_total{webhook="/evacuations/mutate",outcome="allowed"} 1')
  expect(text).toContain('admission_reviews_total{webhook="/evictions/intercept",outcome="failed"} 1')
  expect(text).toContain('admission_review_duration_seconds_bucket{le="0.02",webhook="/evacuations/mutate"} 1')
})
