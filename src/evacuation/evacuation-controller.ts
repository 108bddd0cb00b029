import { evacuations, type Evacuation } from '../api/evacuation.ts'
import { evacuationName } from '../api/evacuation-name.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { podRefOf } from '../api/pod-reference.ts'
import type { Kube } from '../kube/client.ts'
import type { ClusterEvent } from '../kube/cluster-event.ts'
import { Informer } from '../kube/informer.ts'
import type { KubeMetrics } from '../kube/metrics.ts'
import { NodePods } from '../kube/node-pods.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { WorkQueue, type QueueMetrics } from '../runtime/work-queue.ts'
import { BudgetWatch } from './budget-watch.ts'
import type { EvacuationMetrics } from './metrics.ts'
import { keyText, Reconciler } from './reconcile.ts'
import { TrackedPods } from './tracked-pods.ts'

export interface EvacuationControllerOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: { record(event: ClusterEvent): void }
  readonly kubeMetrics: KubeMetrics
  readonly queueMetrics: QueueMetrics
  readonly metrics: EvacuationMetrics
  /** The gate PodEvictPolicy. */
  readonly podEvictPolicy: boolean
  readonly controllerEvictTimeoutMs: number
}

/** As many evictions are under way at most: beyond, the API server only queues them. */
const concurrency = 50

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

  list(): readonly DeepReadonly<Evacuation>[] {
    return this.#evacuations.list()
  }

  async lead(signal: AbortSignal): Promise<void> {
    using nodePods = new NodePods(this.#informed())
    using budgets = new BudgetWatch(this.#informed(), (key) => {
      reconciler.retryNow(key)
      queue.add(key)
    })
    const { kube, clock, random, log, events, metrics, queueMetrics } = this.#options
    const reconciler = new Reconciler({
      kube,
      clock,
      events,
      metrics,
      budgets,
      jitter: random.stream('evacuation/backoff'),
      settings: this.#options,
      trackedPods: new TrackedPods(kube, nodePods),
      get: (key) => this.#get(key),
    })
    const queue = new WorkQueue({
      name: this.name,
      clock,
      random,
      log,
      concurrency,
      metrics: queueMetrics,
      reconcile: (key, stop) => reconciler.reconcile(key, stop),
    })
    using _evacuations = this.#evacuations.subscribe(({ object }) => queue.add(keyText(object)))
    using _pods = nodePods.subscribe(({ object }) => {
      const ref = podRefOf(object)
      const key = `${ref.namespace}/${evacuationName(ref)}`
      if (this.#get(key) !== undefined) queue.add(key)
    })
    for (const evacuation of this.#evacuations.list()) queue.add(keyText(evacuation))
    queue.start(signal)
    await untilAborted(signal)
    await queue.stop()
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
