import { pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { Informer } from '../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { namespace, type Application } from './balance-world.ts'
import { ReadyPods } from './ready-pods.ts'
import { Shortfall } from './shortfall.ts'

/** What became of the applications while somebody moved their pods. */
export interface ObservedBalance {
  /** By their pods that are Ready and not on their way out: one that is missing for one second. */
  readonly podSeconds: number
  /** Pods that are gone. */
  readonly moved: number
}

/** Follows the applications by a watch, which misses nothing. */
export async function observeBalance(
  kube: Kube,
  applications: readonly Application[],
): Promise<{ stop(): Promise<ObservedBalance> }> {
  const stop = new AbortController()
  const world = { kube, clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const informer = new Informer({ ...world, resource: pods, selection: { namespace } })
  const ready = new ReadyPods()
  /** A shortfall for all applications of one size; they begin when everything is known. */
  const shortfalls = new Map<number, Shortfall>()
  const replicasOf = new Map(applications.map(({ name, replicas }) => [name, replicas]))
  let moved = 0
  informer.subscribe(({ kind, object }) => {
    const app = object.metadata.labels?.['app'] ?? ''
    const available = ready.note(app, object, kind === 'deleted')
    shortfalls.get(replicasOf.get(app) ?? 0)?.set(app, available, performance.now())
    if (kind === 'deleted') moved++
  })
  const running = informer.run(stop.signal)
  await informer.synced()
  const beganMs = performance.now()
  for (const replicas of replicasOf.values()) shortfalls.set(replicas, new Shortfall(replicas, beganMs))
  return {
    stop: async () => {
      stop.abort(new Error('seen enough'))
      await running
      const nowMs = performance.now()
      const podSeconds = shortfalls.values().reduce((sum, shortfall) => sum + shortfall.until(nowMs).podSeconds, 0)
      return { podSeconds, moved }
    },
  }
}
