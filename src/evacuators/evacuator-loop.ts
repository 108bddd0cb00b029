import { Doorbell, runControlLoop, type Wake } from '../runtime/control-loop.ts'
import type { EvacuationKey } from '../evacuation-client/evacuation-key.ts'
import { namespacedKeyOf, idOfObject, idOf, namespaceOfId } from '../api/kubernetes/object-id.ts'
import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { pods } from '../api/kubernetes/resources.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { Kube } from '../kube/client/client.ts'
import { unlessNotFound } from '../kube/client/errors.ts'
import { Informer } from '../kube/watch/informer.ts'
import { noKubeMetrics, type KubeMetrics } from '../kube/metrics.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import type { BackoffOptions } from '../runtime/backoff.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { type QueueMetrics, type Reconcile } from '../runtime/work-queue.ts'
import { concerns, turnKey } from './decide-turn.ts'
import { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import type { Evacuator } from './evacuator.ts'
import type { Events } from './events.ts'
import { TurnRunner } from './turn-runner.ts'

export interface EvacuatorLoopOptions {
  readonly evacuator: Evacuator
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Without it nothing is told by events; the status says everything all the same. */
  readonly events?: Events
  /** Only Evacuations of this namespace; without it of all. */
  readonly namespace?: string
  /** How many Evacuations are worked on at once. If left out: 200, and at most half of them of one namespace. */
  readonly concurrency?: number
  /** Follows all Evacuations already; another controller runs it. */
  readonly evacuations?: Informer<Evacuation>
  /** Of the same process, so that each sees at once what the others wrote. */
  readonly writer?: EvacuationWriter
  /** Instead of asking the API server before every step: undefined if the pod is gone for sure. */
  readonly readPod?: (pod: PodRef, signal: AbortSignal) => Promise<Pod | undefined>
  /** Says nothing of what is over a moment later: fewer writes where evacuations come by the hundred. */
  readonly sparing?: boolean
  /** Nothing that it does must be finished: a Forbid of the evacuator before it ends with its first report. */
  readonly alwaysCancellable?: boolean
  readonly metrics?: KubeMetrics
  readonly queueMetrics?: QueueMetrics
}

const fairConcurrency = { concurrency: 200, groupOf: namespaceOfId }
const failureBackoff: BackoffOptions = { initialMs: 1_000, maxMs: 60_000, jitter: 0.1 }

/**
 * Runs an evacuator: watches Evacuations, calls it when it is its turn, reports what it says, puts back what was
 * cancelled. It follows all Evacuations and not only those whose active class is its own: a hold has to be served also
 * after the turn has passed on, and an Evacuation that leaves a selection looks the same as one that is deleted.
 */
export class EvacuatorLoop implements Controller {
  readonly name: string
  readonly #options: EvacuatorLoopOptions
  readonly #informer: Informer<Evacuation>
  readonly #writer: EvacuationWriter
  readonly #bell = new Doorbell()

  constructor(options: EvacuatorLoopOptions) {
    this.name = `evacuators/${options.evacuator.evacuatorClass}`
    this.#options = options
    this.#informer = options.evacuations ?? ownInformer(options)
    this.#writer = options.writer ?? new EvacuationWriter(options.kube, this.#informer)
  }

  async follow(signal: AbortSignal): Promise<void> {
    if (this.#options.evacuations === undefined) await this.#informer.run(signal)
    else await untilAborted(signal)
  }

  synced(): Promise<void> {
    return this.#informer.synced()
  }

  /** Something that the evacuator waits for has happened: call it now and not when it asked to be called. */
  wake(evacuation: EvacuationKey): void {
    const seen = this.#writer.latest(evacuation)
    if (seen !== undefined && concerns(seen, this.#class)) this.#bell.ring(idOf(evacuation))
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { kube, events, concurrency, sparing = false, alwaysCancellable = false } = this.#options
    const readPod = this.#options.readPod ?? ((pod, podSignal) => readPodOf(kube, pod, podSignal))
    const runner = new TurnRunner({
      ...this.#options,
      events,
      writer: this.#writer,
      readPod,
      sparing,
      alwaysCancellable,
    })
    const turns: Wake = {
      open: (add) => {
        const subscriptions = new DisposableStack()
        subscriptions.use(
          this.#informer.subscribe((change) => {
            const key = namespacedKeyOf(change.object)
            runner.notice(key, change.kind === 'deleted' ? undefined : this.#writer.latest(key))
            if (this.#isNews(change)) add(idOfObject(change.object))
          }),
        )
        subscriptions.use(
          this.#writer.onIntended((evacuation) => {
            if (concerns(evacuation, this.#class)) add(idOfObject(evacuation))
          }),
        )
        for (const object of this.#informer.list()) if (concerns(object, this.#class)) add(idOfObject(object))
        return subscriptions
      },
    }
    const wakes = [turns, this.#bell]
    const reconcile: Reconcile = (id, stop) => runner.reconcile(id, stop)
    const atOnce = concurrency === undefined ? fairConcurrency : { concurrency }
    const options = { ...this.#options, ...atOnce, name: this.name, backoff: failureBackoff, wakes, reconcile }
    await runControlLoop(options, signal)
  }

  get #class(): string {
    return this.#options.evacuator.evacuatorClass
  }

  #isNews(change: Change<Evacuation>): boolean {
    if (change.kind !== 'updated') return concerns(change.object, this.#class)
    return turnKey(change.object, this.#class) !== turnKey(change.previous, this.#class)
  }
}

/** Runs an evacuator until the signal aborts. With more than one replica, put a LeaderElection around `lead` instead. */
export async function runEvacuator(options: EvacuatorLoopOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { signal } = options
  const loop = new EvacuatorLoop(options)
  const following = loop.follow(signal)
  await Promise.race([loop.synced(), untilAborted(signal)])
  if (!signal.aborted) await loop.lead(signal)
  await following
}

function ownInformer(options: EvacuatorLoopOptions): Informer<Evacuation> {
  const { kube, clock, random, log, metrics = noKubeMetrics, namespace } = options
  const selection = namespace === undefined ? {} : { selection: { namespace } }
  return new Informer({ kube, resource: evacuations, clock, random, log, metrics, ...selection })
}

async function readPodOf(kube: Kube, pod: PodRef, signal: AbortSignal): Promise<Pod | undefined> {
  return unlessNotFound(kube.get(pods, pod, { signal }))
}
