import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import { evacuationKey } from '../api/evacuation/evacuation-name.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import type { Kube } from '../kube/client/client.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { KubeMetrics } from '../kube/metrics.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { WorkQueue, type QueueMetrics } from '../runtime/work-queue.ts'
import { BudgetWatch } from './budget-watch.ts'
import type { EvacuationMetrics } from './metrics.ts'
import type { ClaimsLookup, NodeLookup } from './claims.ts'
import { Reconciler } from './reconcile.ts'
import { TrackedPods } from './tracked-pods.ts'
import { keyText } from './view.ts'

export interface EvacuationControllerOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: { record(event: ClusterEvent): void }
  readonly kubeMetrics: KubeMetrics
  readonly queueMetrics: QueueMetrics
  readonly metrics: EvacuationMetrics
  /** Of every node that somebody is interested in: others look at them too. */
  readonly nodePods: NodePods
  /** The built-in evacuators that claim a pod. Whoever assembles Lifeboat knows them. */
  readonly claims: ClaimsLookup
  readonly node: NodeLookup
  /** The gate PodEvictPolicy. */
  readonly podEvictPolicy: boolean
  readonly controllerEvictTimeoutMs: number
}

/**
 * As many evictions are under way at most: beyond, the API server only queues them. Finishing has time: what is left of
 * an evacuation whose pod is gone must not slow down the evictions that are still to come.
 */
const concurrency = { evacuations: 50, finishing: 4 }

/** Sees every Evacuation through: selects evacuators, evicts where none is left, cleans up afterwards (KEP-4563). */
export class EvacuationController implements Controller {
  readonly name = 'evacuations'
  readonly #options: EvacuationControllerOptions
  readonly #evacuations: Informer<Evacuation>

  constructor(options: EvacuationControllerOptions) {
    this.#options = options
    this.#evacuations = new Informer({ ...this.#informed(), resource: evacuations })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#evacuations.run(signal)
  }

  synced(): Promise<void> {
    return this.#evacuations.synced()
  }

  /** For others who follow all Evacuations: one watch is enough. This controller runs it. */
  get informer(): Informer<Evacuation> {
    return this.#evacuations
  }

  list(): readonly DeepReadonly<Evacuation>[] {
    return this.#evacuations.list()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { nodePods } = this.#options
    using trackedPods = new TrackedPods(this.#options.kube, nodePods)
    using budgets = new BudgetWatch(this.#informed(), (key) => {
      reconciler.retryNow(key)
      queue.add(key)
    })
    const { kube, clock, random, log, events, metrics, queueMetrics, claims, node } = this.#options
    const reconciler = new Reconciler({
      kube,
      clock,
      events,
      metrics,
      lookups: { claims, node },
      budgets,
      jitter: random.stream('evacuation/backoff'),
      settings: this.#options,
      trackedPods,
      finishLater: (key) => finishing.add(key),
      get: (key) => this.#get(key),
    })
    const queued = { clock, random, log, metrics: queueMetrics }
    const queue = new WorkQueue({
      ...queued,
      name: this.name,
      concurrency: concurrency.evacuations,
      reconcile: (key, stop) => reconciler.reconcile(key, stop),
    })
    const finishing = new WorkQueue({
      ...queued,
      name: `${this.name}/finishing`,
      concurrency: concurrency.finishing,
      reconcile: (key, stop) => reconciler.finish(key, stop),
    })
    using _evacuations = this.#evacuations.subscribe(({ object }) => queue.add(keyText(object)))
    using _pods = nodePods.subscribe(({ object }) => {
      const key = evacuationKey(object)
      if (this.#get(key) !== undefined) queue.add(key)
    })
    for (const evacuation of this.#evacuations.list()) queue.add(keyText(evacuation))
    queue.start(signal)
    finishing.start(signal)
    await untilAborted(signal)
    await Promise.all([queue.stop(), finishing.stop()])
  }

  #get(key: string): DeepReadonly<Evacuation> | undefined {
    const [namespace = '', name = ''] = key.split('/')
    return this.#evacuations.get({ namespace, name })
  }

  #informed() {
    const { kube, clock, random, log, kubeMetrics } = this.#options
    return { kube, clock, random, log, metrics: kubeMetrics }
  }
}
