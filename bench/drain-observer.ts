import { deployments, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { Informer } from '../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { namespace, type World } from './drain-world.ts'
import { ReadyPods } from './ready-pods.ts'
import { Shortfall, type Missing } from './shortfall.ts'

/** What became of the applications while somebody drained. */
export interface Observed {
  /** By their pods that are Ready and not on their way out: those that a Service sends requests to. */
  readonly pods: Missing
  /** By what each Deployment says of itself, which leaves out a pod that was released and still serves. */
  readonly deployments: Missing
  /** Pods that were on the nodes and are gone. */
  readonly moved: number
  /** When the last of them went, from the beginning. */
  readonly lastGoneSeconds: number
}

export interface Observer {
  /** Pods that are still on the nodes. */
  left(): number
  stop(): Promise<Observed>
}

/** Follows the applications by watches, which miss nothing: a poll sees only what lasts. */
export async function observe(kube: Kube, { replicas }: World, drained: readonly string[]): Promise<Observer> {
  const stop = new AbortController()
  const parts = { kube, clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const podInformer = new Informer({ ...parts, resource: pods, selection: { namespace } })
  const deploymentInformer = new Informer({ ...parts, resource: deployments, selection: { namespace } })
  const ready = new ReadyPods()
  const nodeNames = new Set(drained)
  const onNodes = new Set<string>()
  let [moved, lastGoneMs] = [0, 0]
  // Both begin when everything is known: until then nothing is missing, it merely was not seen yet.
  let ofPods: Shortfall | undefined
  let ofDeployments: Shortfall | undefined
  podInformer.subscribe(({ kind, object }) => {
    const nowMs = performance.now()
    const app = object.metadata.labels?.['app'] ?? ''
    const available = ready.note(app, object, kind === 'deleted')
    ofPods?.set(app, available, nowMs)
    const uid = object.metadata.uid
    if (kind !== 'deleted' && nodeNames.has(object.spec?.nodeName ?? '')) onNodes.add(uid)
    if (kind !== 'deleted' || !onNodes.delete(uid)) return
    moved++
    lastGoneMs = nowMs
  })
  deploymentInformer.subscribe(({ object: { metadata, status } }) => {
    ofDeployments?.set(metadata.name, status?.availableReplicas ?? 0, performance.now())
  })
  const running = Promise.all([podInformer.run(stop.signal), deploymentInformer.run(stop.signal)])
  await Promise.all([podInformer.synced(), deploymentInformer.synced()])
  const beganMs = performance.now()
  ofPods = new Shortfall(replicas, beganMs)
  ofDeployments = new Shortfall(replicas, beganMs)
  return {
    left: () => onNodes.size,
    stop: async () => {
      stop.abort(new Error('seen enough'))
      await running
      const nowMs = performance.now()
      return {
        pods: ofPods.until(nowMs),
        deployments: ofDeployments.until(nowMs),
        moved,
        lastGoneSeconds: Math.max(0, lastGoneMs - beganMs) / 1_000,
      }
    },
  }
}
