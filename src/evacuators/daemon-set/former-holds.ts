import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import { idOfObject, keyOfId } from '../../api/kubernetes/object-id.ts'
import { evacuatorClasses } from '../../api/names.ts'
import type { EvacuationWriter } from '../../evacuation-client/evacuation-writer.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import { objectsOf } from '../../kube/watch/wakes.ts'
import { runControlLoop, type ControlLoopOptions } from '../../runtime/control-loop.ts'
import type { Controller } from '../../runtime/controller.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import type { Next } from '../../runtime/work-queue.ts'

export interface FormerHoldsOptions extends Pick<ControlLoopOptions, 'clock' | 'random' | 'log' | 'queueMetrics'> {
  /** All of them; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly writer: Pick<EvacuationWriter, 'releaseHold'>
}

const evacuatorClass = evacuatorClasses.daemonSet
const finalizer = instigatorFinalizer(evacuatorClass)
const concurrency = 10
const settled: Next = { kind: 'settled' }

/**
 * With its gate off the DaemonSet evacuator does not run, and what it held has no other to let it go: an Evacuation with
 * its finalizer would stay until its pod is gone, although no instigator wants it any more.
 */
export class FormerHolds implements Controller {
  readonly name = 'daemon-set/former-holds'
  readonly #options: FormerHoldsOptions

  constructor(options: FormerHoldsOptions) {
    this.#options = options
  }

  follow(signal: AbortSignal): Promise<void> {
    return untilAborted(signal)
  }

  synced(): Promise<void> {
    return this.#options.evacuations.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const wakes = [objectsOf(this.#options.evacuations, (each) => (isHeld(each) ? idOfObject(each) : undefined))]
    const reconcile = (key: string, stop: AbortSignal) => this.#reconcile(key, stop)
    await runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const { evacuations, writer } = this.#options
    const id = keyOfId(key)
    const evacuation = evacuations.get(id)
    if (evacuation === undefined || !isHeld(evacuation)) return settled
    await writer.releaseHold({ evacuatorClass, key: id, uid: evacuation.metadata.uid }, signal)
    return settled
  }
}

function isHeld({ metadata: { finalizers = [] } }: Evacuation): boolean {
  return finalizers.includes(finalizer)
}
