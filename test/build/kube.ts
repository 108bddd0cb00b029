import { Kube } from '../../src/kube/client/client.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { ConcurrencyLimit } from '../../src/runtime/concurrency-limit.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'

/** A client whose limits no test reaches by accident. */
export function buildKube(transport: Transport, clock: Clock): Kube {
  return new Kube({
    transport,
    clock,
    random: seededRandom(1),
    concurrency: new ConcurrencyLimit(1_000),
    rate: new TokenBucket({ clock, ratePerSecond: 1_000_000, burst: 1_000_000 }),
    metrics: noKubeMetrics,
  })
}
