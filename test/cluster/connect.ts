import { homedir } from 'node:os'
import { Kube } from '../../src/kube/client/client.ts'
import { fencedTransport } from '../../src/kube/client/fenced-transport.ts'
import { loadKubeconfig } from '../../src/kube/auth/kubeconfig.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { systemFiles, systemProcesses } from '../../src/kube/auth/system-files.ts'
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts'
import { ConcurrencyLimit } from '../../src/runtime/concurrency-limit.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { impersonating } from '../build/impersonating.ts'

export interface Connection extends AsyncDisposable {
  readonly kube: Kube
  /** A second client on the same connections, whose writes pass only while `mayWrite` says so. */
  fenced(mayWrite: () => boolean): Kube
  /** Another one, which acts as this user. */
  as(user: string): Kube
}

/** Found the way a user's is: by its kubeconfig. */
export async function connectTransport(cluster: { readonly kubeconfigPath: string }): Promise<UndiciTransport> {
  const access = await loadKubeconfig({
    path: cluster.kubeconfigPath,
    environment: {},
    homeFolder: homedir(),
    files: systemFiles,
    processes: systemProcesses,
    clock: systemClock,
  })
  return new UndiciTransport({ ...access, userAgent: 'lifeboat-test' })
}

/** Lifeboat's own client for a test cluster. */
export async function connect(cluster: { readonly kubeconfigPath: string }): Promise<Connection> {
  const transport = await connectTransport(cluster)
  const limits = {
    clock: systemClock,
    random: systemRandom,
    concurrency: new ConcurrencyLimit(30),
    rate: new TokenBucket({ clock: systemClock, ratePerSecond: 10_000, burst: 10_000 }),
    metrics: noKubeMetrics,
  }
  return {
    kube: new Kube({ ...limits, transport }),
    fenced: (mayWrite) => new Kube({ ...limits, transport: fencedTransport(transport, mayWrite) }),
    as: (user) => new Kube({ ...limits, transport: impersonating(transport, user) }),
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
