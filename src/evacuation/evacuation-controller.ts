import { objectsOf, changesOf } from '../kube/watch/wakes.ts'
import { Doorbell, runControlLoop, type ControlLoopOptions } from '../runtime/control-loop.ts'
import { EvacuationSlimmer } from '../evacuation-client/slim-evacuation.ts'
import { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import type { ClaimsLookup } from '../evacuation-client/instigator.ts'
import { idOfObject, keyOfId, namespacedKeyOf, namespaceOfId } from '../api/kubernetes/object-id.ts'
import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Kube } from '../kube/client/client.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { KubeMetrics } from '../kube/metrics.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { type QueueMetrics } from '../runtime/work-queue.ts'
import { BudgetWatch } from './budget-watch.ts'
import type { EvacuationMetrics } from './metrics.ts'
import type { NodeLookup } from './claims.ts'
import { FinishedEvacuations } from './finished-evacuations.ts'
import { writeIntended } from './intended-status.ts'
import { Reconciler } from './reconcile.ts'
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
  /** Of every node that a controller is interested in: others look at them too. */
  readonly nodePods: NodePods
  /** The built-in evacuators that claim a pod. The manager knows them. */
  readonly claims: ClaimsLookup
  readonly node: NodeLookup
  /** The gate PodEvictPolicy. */
  readonly podEvictPolicy: boolean
  readonly controllerEvictTimeoutMs: number
  /** See ReconcileOptions. */
  readonly ownEvacuators?: ReadonlySet<string>
}

/**
 * As many evictions are under way at most, half of them in one namespace: beyond, the API server only queues them.
 * Finishing has time: what is left of an evacuation whose pod is gone must not slow down the evictions to come.
 */
const concurrency = { evacuations: 100, telling: 16, finishing: 16, removing: 4 }

/** Sees every Evacuation through: selects evacuators, evicts where none is left, cleans up afterwards (KEP-4563). */
export class EvacuationController implements Controller {
  readonly name = 'evacuations'
  readonly #options: EvacuationControllerOptions
  readonly #evacuations: Informer<Evacuation>
  /** For every writer of Evacuations: so each sees at once what the others wrote. */
  readonly writer: EvacuationWriter

  constructor(options: EvacuationControllerOptions) {
    this.#options = options
    const slimmer = new EvacuationSlimmer()
    this.#evacuations = new Informer({
      ...this.#informed(),
      resource: evacuations,
      project: (evacuation) => slimmer.slim(evacuation),
    })
    // Both watches are of one API server and one connection: while one of them speaks, the other would.
    const silentForMs = () => Math.min(this.#evacuations.silentForMs(), options.nodePods.silentForMs())
    this.writer = new EvacuationWriter(options.kube, {
      get: (key) => this.#evacuations.get(key),
      subscribe: (handler) => this.#evacuations.subscribe(handler),
      silentForMs,
    })
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

  /** With what is intended, as this process acts on it. */
  list(): readonly Evacuation[] {
    return this.#evacuations.list().map((evacuation) => this.writer.latest(namespacedKeyOf(evacuation)) ?? evacuation)
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { kube, nodePods, random, claims, node } = this.#options
    using trackedPods = new TrackedPods(kube, nodePods)
    const [room, telling, finishing, removing] = [new Doorbell(), new Doorbell(), new Doorbell(), new Doorbell()]
    using _intended = this.writer.intending((evacuation) => telling.ring(idOfObject(evacuation)))
    using finished = new FinishedEvacuations({
      clock: this.#options.clock,
      writer: this.writer,
      evacuations: this.#evacuations,
      ring: (namespace) => removing.ring(namespace),
    })
    using budgets = new BudgetWatch(this.#informed(), {
      podOf: (key) => reconciler.evictable(key),
      wake: (key) => {
        reconciler.retryNow(key)
        room.ring(key)
      },
    })
    const reconciler = new Reconciler({
      ...this.#options,
      lookups: { claims, node },
      budgets,
      jitter: random.stream('evacuation/backoff'),
      settings: this.#options,
      trackedPods,
      finishLater: (key) => finishing.ring(key),
      finished,
      writer: this.writer,
      ownEvacuators: this.#options.ownEvacuators ?? new Set(),
    })
    const evacuated = changesOf(nodePods, ({ object }) => {
      const key = evacuationIdOf(object)
      return this.#evacuations.get(keyOfId(key)) === undefined ? [] : [key]
    })
    const loops: readonly ControlLoopOptions[] = [
      {
        ...this.#options,
        name: `${this.name}/telling`,
        concurrency: concurrency.telling,
        groupOf: namespaceOfId,
        wakes: [telling],
        reconcile: (key, stop) => writeIntended({ writer: this.writer, clock: this.#options.clock }, key, stop),
      },
      {
        ...this.#options,
        name: `${this.name}/finishing`,
        concurrency: concurrency.finishing,
        groupOf: namespaceOfId,
        wakes: [finishing],
        reconcile: (key, stop) => reconciler.finish(key, stop),
      },
      {
        ...this.#options,
        name: `${this.name}/removing`,
        concurrency: concurrency.removing,
        wakes: [removing],
        reconcile: (namespace, stop) => finished.remove(namespace, stop),
      },
      {
        ...this.#options,
        name: this.name,
        concurrency: concurrency.evacuations,
        groupOf: namespaceOfId,
        wakes: [objectsOf(this.#evacuations), evacuated, room],
        reconcile: (key, stop) => reconciler.reconcile(key, stop),
      },
    ]
    await Promise.all(loops.map((loop) => runControlLoop(loop, signal)))
  }

  #informed() {
    const { kube, clock, random, log, kubeMetrics } = this.#options
    return { kube, clock, random, log, metrics: kubeMetrics }
  }
}
