import { Kube } from '../../kube/client/client.ts'
import type { KubeMetrics } from '../../kube/metrics.ts'
import type { Transport } from '../../kube/client/transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ConcurrencyLimit } from '../../runtime/concurrency-limit.ts'
import type { Random } from '../../runtime/random.ts'
import { TokenBucket } from '../../runtime/token-bucket.ts'

export interface ClientOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly metrics: KubeMetrics
  readonly pace?: { readonly ratePerSecond: number; readonly burst: number }
}

/**
 * More than a large drain needs; the API server's own priority and fairness decides what it can bear. One namespace gets
 * half of the requests at once: its webhooks may take their time, and the others must not wait for them. While more than
 * a few are under way, what has time waits.
 */
const limits = { requestsInFlightMax: 64, spareBelow: 8, ratePerSecond: 1_000, burst: 2_000 }
/** Events have time: in a large drain they must not cost what evictions need. */
export const paceOfEvents = { ratePerSecond: 20, burst: 50 }

/** A client with limits of its own, so that one part of Lifeboat never waits for the requests of another. */
export function openClient({ transport, clock, random, metrics, pace = limits }: ClientOptions): Kube {
  return new Kube({
    transport,
    clock,
    random,
    metrics,
    concurrency: new ConcurrencyLimit(limits.requestsInFlightMax, { keepsRoom: true, spareBelow: limits.spareBelow }),
    rate: new TokenBucket({ clock, ratePerSecond: pace.ratePerSecond, burst: pace.burst }),
  })
}
