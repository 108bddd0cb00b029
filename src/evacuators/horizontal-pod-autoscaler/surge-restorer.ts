import { objectsOf, changesOf } from '../../kube/watch/wakes.ts'
import { runControlLoop } from '../../runtime/control-loop.ts'
import { idOf, keyOfId, idOfObject } from '../../api/kubernetes/object-id.ts'
import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import type { Controller } from '../../runtime/controller.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import { settle, surgeOf } from './surge.ts'

export interface SurgeRestorerOptions extends InformerParts {
  /** Follows all Evacuations; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly queueMetrics: QueueMetrics
}

const evacuationIndex = 'evacuation'
const settled: Next = { kind: 'settled' }
/** One without its label is out of sight: no watch shows that it has changed. */
const unseenAgainMs = 1_000

const concurrency = 10

/**
 * Lowers minReplicas when evacuations end, and puts back what was found after the last one. It goes by what stands on
 * the autoscaler and not by what a process remembers: it makes no difference who raised it, or when Lifeboat was down.
 * Only autoscalers that are raised are followed.
 */
export class SurgeRestorer implements Controller {
  readonly name = 'evacuators/autoscaler-surges'
  readonly #options: SurgeRestorerOptions
  readonly #autoscalers: Informer<HorizontalPodAutoscaler>

  constructor(options: SurgeRestorerOptions) {
    this.#options = options
    const { kube, clock, random, log, metrics } = options
    this.#autoscalers = new Informer({
      kube,
      clock,
      random,
      log,
      metrics,
      resource: horizontalPodAutoscalers,
      selection: { labelSelector: labels.autoscalerSurge },
      indexes: { [evacuationIndex]: evacuationsOf },
    })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#autoscalers.run(signal)
  }

  async synced(): Promise<void> {
    await Promise.all([this.#autoscalers.synced(), this.#options.evacuations.synced()])
  }

  lead(signal: AbortSignal): Promise<void> {
    const raisedFor = changesOf(this.#options.evacuations, (change) =>
      isOver(change) ? this.#autoscalers.byIndex(evacuationIndex, idOfObject(change.object)).map(idOfObject) : [],
    )
    const wakes = [objectsOf(this.#autoscalers), raisedFor]
    const reconcile: Reconcile = (id, stop) => this.#reconcile(id, stop)
    return runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
  }

  async #reconcile(id: string, signal: AbortSignal): Promise<Next> {
    const { kube, clock } = this.#options
    // Without its label it is out of sight, and still raised.
    const seen = this.#autoscalers.get(keyOfId(id))
    const autoscaler = seen ?? (await this.#read(id, signal))
    if (autoscaler === undefined) return settled
    const over = await this.#overOf(autoscaler, signal)
    const write = settle(autoscaler, (name) => over.has(name))
    if (write === undefined) return settled
    const { uid, resourceVersion } = autoscaler.metadata
    const body = { ...write.change, metadata: { ...write.change.metadata, uid, resourceVersion } }
    try {
      await kube.patch(horizontalPodAutoscalers, keyOf(autoscaler), { type: 'merge', body }, { signal })
      return settled
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound')) throw error
      return seen === undefined ? { kind: 'again', atMs: clock.nowMs() + unseenAgainMs } : settled
    }
  }

  /** The names of its Evacuations that want nothing of it any more. */
  async #overOf(autoscaler: HorizontalPodAutoscaler, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { namespace } = autoscaler.metadata
    const over = new Set<string>()
    for (const name of surgeOf(autoscaler)?.evacuations ?? []) {
      const key = { namespace, name }
      // Absent from the cache is not gone: the API server knows.
      const found = this.#options.evacuations.get(key) ?? (await this.#find(key, signal))
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) over.add(name)
    }
    return over
  }

  async #find(key: { readonly namespace: string; readonly name: string }, signal: AbortSignal) {
    return unlessNotFound(this.#options.kube.get(evacuations, key, { signal }))
  }

  async #read(id: string, signal: AbortSignal): Promise<HorizontalPodAutoscaler | undefined> {
    return unlessNotFound(this.#options.kube.get(horizontalPodAutoscalers, keyOfId(id), { signal }))
  }
}

function evacuationsOf(autoscaler: HorizontalPodAutoscaler): string[] {
  const { namespace } = autoscaler.metadata
  return (surgeOf(autoscaler)?.evacuations ?? []).map((name) => idOf({ namespace, name }))
}

function isOver({ kind, object }: Change<Evacuation>): boolean {
  return kind === 'deleted' || object.metadata.deletionTimestamp !== undefined
}
