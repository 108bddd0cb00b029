import type { EvacuationWriter } from '../../evacuation-client/evacuation-writer.ts'
import type { EvacuationKey } from '../../evacuation-client/evacuation-key.ts'
import { namespacedKeyOf, idOfObject, idOf, keyOfId } from '../../api/kubernetes/object-id.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { podRefOfEvacuation, type PodRef } from '../../api/evacuation/pod-reference.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import { concerns } from '../decide-turn.ts'
import type { Evacuator } from '../evacuator.ts'
import { EvacuatorLoop, type EvacuatorLoopOptions } from '../evacuator-loop.ts'
import { WorkloadAdapter } from './workload-adapter.ts'
import type { WorkloadCaches } from './workload-caches.ts'
import type { AnyWorkloadEvacuator } from './workload-evacuator.ts'

export interface WorkloadControllerOptions extends Omit<EvacuatorLoopOptions, 'evacuator' | 'readPod' | 'namespace'> {
  readonly evacuator: AnyWorkloadEvacuator
  readonly caches: WorkloadCaches
  /** The pod as another part of the process follows it; undefined: it is not followed. */
  readonly peekPod?: (ref: PodRef) => Pod | undefined
  /** Follows all Evacuations; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  /** Of the same. */
  readonly writer: EvacuationWriter
}

/** A built-in evacuator at work: the loop that third parties use too, woken by what happens to the workload. */
export class WorkloadController implements Controller {
  readonly name: string
  readonly needsWebhooks: boolean
  readonly #options: WorkloadControllerOptions
  readonly #adapter: WorkloadAdapter
  readonly #loop: EvacuatorLoop

  constructor(options: WorkloadControllerOptions) {
    this.#options = options
    this.#adapter = new WorkloadAdapter(options)
    const readPod: EvacuatorLoopOptions['readPod'] = (pod, signal) => this.#adapter.readPod(pod, signal)
    const { sparing = false, needsWebhooks = false } = options.evacuator
    this.#loop = new EvacuatorLoop({
      ...options,
      evacuator: this.#watched(),
      readPod,
      sparing,
      alwaysCancellable: true,
    })
    this.name = this.#loop.name
    this.needsWebhooks = needsWebhooks
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#loop.follow(signal)
  }

  synced(): Promise<void> {
    return this.#loop.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { caches, evacuations } = this.#options
    // What is followed is of use only to who acts on it.
    using _followed = this.#adapter
    using _evacuations = evacuations.subscribe((change) => this.#noticed(change))
    using woken = new Gathered(this.#options.clock, (ids) => {
      for (const key of ids.map(keyOfId)) if (!this.#isOver(key)) this.#loop.wake(key)
    })
    using _world = caches.subscribe((change, place) => {
      for (const id of this.#adapter.wokenBy(change, place)) woken.add(id)
    })
    await this.#loop.lead(signal)
  }

  /** Its pod is gone: what is left to do is the controller's, and two would only get in each other's way. */
  #isOver(key: EvacuationKey): boolean {
    const evacuation = this.#options.evacuations.get(key)
    return evacuation === undefined || this.#adapter.hasGone(podRefOfEvacuation(evacuation))
  }

  /** Forgets an Evacuation whose last change came while its step was under way. */
  #watched(): Evacuator {
    const watched = async <Result>({ evacuation }: { evacuation: Evacuation }, call: Promise<Result>) => {
      try {
        return await call
      } finally {
        const key = namespacedKeyOf(evacuation)
        const seen = this.#options.writer.latest(key)
        if (seen === undefined || !concerns(seen, this.#adapter.evacuatorClass)) this.#adapter.forget(idOf(key))
      }
    }
    return {
      evacuatorClass: this.#adapter.evacuatorClass,
      step: (turn) => watched(turn, this.#adapter.step(turn)),
      cancel: (turn) => watched(turn, this.#adapter.cancel(turn)),
    }
  }

  #noticed({ kind, object }: Change<Evacuation>): void {
    const seen = kind === 'deleted' ? undefined : this.#options.writer.latest(namespacedKeyOf(object))
    const isOver = seen === undefined || !concerns(seen, this.#adapter.evacuatorClass)
    if (isOver) this.#adapter.forget(idOfObject(object))
  }
}

/** Pods of a workload change many times within a moment, and each change concerns all of its evacuations. */
const momentMs = 100

/** What comes within a moment, together. */
class Gathered implements Disposable {
  readonly #clock: Clock
  readonly #tell: (ids: readonly string[]) => void
  readonly #ids = new Set<string>()
  #timer: Disposable | undefined

  constructor(clock: Clock, tell: (ids: readonly string[]) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  add(id: string): void {
    this.#ids.add(id)
    this.#timer ??= this.#clock.timer(momentMs, () => this.#flush())
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  #flush(): void {
    const ids = [...this.#ids]
    this.#ids.clear()
    this.#timer = undefined
    this.#tell(ids)
  }
}
