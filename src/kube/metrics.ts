import { Counter, Histogram, type Registry } from 'prom-client'
import type { RequestLabel } from './client/sender.ts'

/** What the client and the informers count. */
export interface KubeMetrics {
  /** `code` 0: there was no answer. */
  answered(label: RequestLabel, code: number, elapsedMs: number): void
  relisted(resource: string): void
  watchEnded(resource: string, why: string): void
}

export const noKubeMetrics: KubeMetrics = { answered: () => {}, relisted: () => {}, watchEnded: () => {} }

export function prometheusKubeMetrics(registry: Registry): KubeMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'kube_client_requests_total',
    help: 'Requests to the API server by verb, resource and status code (0: no answer)',
    labelNames: ['verb', 'resource', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'kube_client_request_duration_seconds',
    help: 'Time from sending a request to the API server to its whole answer',
    labelNames: ['verb', 'resource'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  })
  const relists = new Counter({
    name: 'kube_client_relists_total',
    help: 'Complete lists that an informer needed',
    labelNames: ['resource'],
    registers,
  })
  const watchEnds = new Counter({
    name: 'kube_client_watch_ends_total',
    help: 'Ends of watches by cause',
    labelNames: ['resource', 'why'],
    registers,
  })
  return {
    answered: ({ verb, resource }, code, elapsedMs) => {
      requests.inc({ verb, resource, code })
      if (verb !== 'watch') seconds.observe({ verb, resource }, elapsedMs / 1_000)
    },
    relisted: (resource) => relists.inc({ resource }),
    watchEnded: (resource, why) => watchEnds.inc({ resource, why }),
  }
}
