import { Counter, Histogram, type Registry } from 'prom-client'

/** What became of a review: `failed` means that it could not be answered. */
export type ReviewOutcome = 'allowed' | 'denied' | 'failed'

export interface AdmissionMetrics {
  reviewed(webhook: string, outcome: ReviewOutcome, elapsedMs: number): void
}

export const noAdmissionMetrics: AdmissionMetrics = { reviewed: () => {} }

export function prometheusAdmissionMetrics(registry: Registry): AdmissionMetrics {
  const registers = [registry]
  const reviews = new Counter({
    name: 'admission_reviews_total',
    help: 'Reviews of the admission webhooks by webhook and outcome (failed: no answer could be given)',
    labelNames: ['webhook', 'outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'admission_review_duration_seconds',
    help: 'Time that a review of an admission webhook took',
    labelNames: ['webhook'],
    buckets: [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  return {
    reviewed: (webhook, outcome, elapsedMs) => {
      reviews.inc({ webhook, outcome })
      seconds.observe({ webhook }, elapsedMs / 1_000)
    },
  }
}
