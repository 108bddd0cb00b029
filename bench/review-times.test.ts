import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { prometheusAdmissionMetrics } from '../src/admission/metrics.ts'
import { shareWithin } from './review-times.ts'

test('the share of quick reviews is read from the metrics of the one webhook', async () => {
  const registry = new Registry()
  const metrics = prometheusAdmissionMetrics(registry)
  for (const elapsedMs of [2, 19, 20, 21]) metrics.reviewed('/evictions/intercept', 'denied', elapsedMs)
  metrics.reviewed('/evacuations/mutate', 'allowed', 5_000)
  expect(shareWithin(await registry.metrics(), '/evictions/intercept', 20)).toBe(0.75)
})

test('metrics that do not say it are an error', () => {
  expect(() => shareWithin('', '/evictions/intercept', 20)).toThrow('no admission_review_duration_seconds_bucket')
})
