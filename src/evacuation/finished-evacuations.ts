import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { withoutInstigatorFinalizers } from '../api/evacuation/instigator-finalizers.ts'
import { isMarkedFinished } from '../api/evacuation/finished-mark.ts'
import { idOfObject } from '../api/kubernetes/object-id.ts'
import type { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { isKubeError } from '../kube/client/errors.ts'
import type { Change, Changing } from '../kube/watch/object-cache.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Next } from '../runtime/work-queue.ts'

export interface FinishedOptions {
  readonly clock: Clock
  readonly writer: Pick<EvacuationWriter, 'change' | 'delete' | 'deleteFinished'>
  readonly evacuations: Changing<Evacuation> & { list(): readonly Evacuation[] }
  /** There is something to remove in this namespace. */
  readonly ring: (namespace: string) => void
}

/** For so long those of a namespace are gathered. */
const gatherMs = 1_000
/** Of fewer each is deleted by itself, by its UID. */
const togetherMin = 3
const settled: Next = { kind: 'settled' }

/** What is known of a namespace. */
class Namespace {
  /** Those to remove, by their ids. */
  readonly finished = new Map<string, Evacuation>()
  /** The ids of all that bear the mark. */
  readonly marked = new Set<string>()
  /** The ids of those that this process marks, from before it does until they are seen to be deleted. */
  readonly ours = new Set<string>()
  sinceMs = 0

  get isEmpty(): boolean {
    return this.finished.size + this.marked.size + this.ours.size === 0
  }

  /** The mark is a label, which users may set too: where another Evacuation bears it, it says too little. */
  get isMarkEnough(): boolean {
    return [...this.marked].every((id) => this.ours.has(id))
  }
}

/**
 * Removes Evacuations whose pods are gone and which no instigator keeps: all of a namespace and a second by one request,
 * because in a large drain each request for every pod counts. What a restart forgets bears its mark, and is found by it.
 */
export class FinishedEvacuations implements Disposable {
  readonly #options: FinishedOptions
  readonly #namespaces = new Map<string, Namespace>()
  readonly #subscription: Disposable

  constructor(options: FinishedOptions) {
    this.#options = options
    this.#subscription = options.evacuations.subscribe((change) => this.#see(change))
    for (const object of options.evacuations.list()) this.#see({ kind: 'added', object })
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  /** Its pod is gone. Finalizers first: what others hold then keeps the object, and nothing else does. */
  async end(evacuation: Evacuation, signal: AbortSignal): Promise<void> {
    const { finalizers = [], deletionTimestamp } = evacuation.metadata
    const left = withoutInstigatorFinalizers(finalizers)
    if (isMarkedFinished(evacuation)) {
      this.#of(evacuation.metadata.namespace).ours.add(idOfObject(evacuation))
      return this.#add(evacuation)
    }
    if (deletionTimestamp !== undefined || left.length === finalizers.length) return this.endNow(evacuation, signal)
    const { ours } = this.#of(evacuation.metadata.namespace)
    const id = idOfObject(evacuation)
    ours.add(id)
    try {
      this.#add(await this.#options.writer.change(evacuation, { kind: 'finish', finalizers: left }, signal))
    } catch (error) {
      ours.delete(id)
      throw error
    }
  }

  /** Whatever becomes of its pod. */
  async endNow(evacuation: Evacuation, signal: AbortSignal): Promise<void> {
    const { writer } = this.#options
    const { finalizers = [], deletionTimestamp } = evacuation.metadata
    const left = withoutInstigatorFinalizers(finalizers)
    if (left.length < finalizers.length)
      await writer.change(evacuation, { kind: 'finalizers', finalizers: left }, signal)
    if (deletionTimestamp === undefined) await writer.delete(evacuation, { signal })
  }

  #add(evacuation: Evacuation): void {
    const { clock, ring } = this.#options
    const { namespace } = evacuation.metadata
    const known = this.#of(namespace)
    if (known.finished.size === 0) known.sinceMs = clock.monotonicMs()
    known.finished.set(idOfObject(evacuation), evacuation)
    ring(namespace)
  }

  async remove(namespace: string, signal: AbortSignal): Promise<Next> {
    const { clock } = this.#options
    const known = this.#namespaces.get(namespace)
    if (known === undefined || known.finished.size === 0) return settled
    const waitMs = known.sinceMs + gatherMs - clock.monotonicMs()
    if (waitMs > 0) return { kind: 'again', atMs: clock.nowMs() + waitMs }
    const finished = [...known.finished]
    const isTogether = finished.length >= togetherMin && known.isMarkEnough
    if (!isTogether || !(await this.#deleteTogether(namespace, signal)))
      await Promise.all(finished.map(([, evacuation]) => this.#delete(evacuation, signal)))
    for (const [id, evacuation] of finished) if (known.finished.get(id) === evacuation) known.finished.delete(id)
    // What came meanwhile.
    if (known.finished.size > 0) return { kind: 'again', atMs: clock.nowMs() + gatherMs }
    this.#tidy(namespace, known)
    return settled
  }

  /** False: it may delete them by their names alone, as with the role of an older version. */
  async #deleteTogether(namespace: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.writer.deleteFinished(namespace, signal)
      return true
    } catch (error) {
      if (isKubeError(error, 'forbidden')) return false
      throw error
    }
  }

  async #delete(evacuation: Evacuation, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.writer.delete(evacuation, { hasTime: true, signal })
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
    }
  }

  #see({ kind, object }: Change<Evacuation>): void {
    const { namespace } = object.metadata
    const isMarked = kind !== 'deleted' && isMarkedFinished(object)
    if (!isMarked && !this.#namespaces.has(namespace)) return
    const known = this.#of(namespace)
    const id = idOfObject(object)
    if (isMarked) known.marked.add(id)
    else known.marked.delete(id)
    if (kind === 'deleted') {
      known.finished.delete(id)
      known.ours.delete(id)
    }
    this.#tidy(namespace, known)
  }

  #of(namespace: string): Namespace {
    const known = this.#namespaces.get(namespace) ?? new Namespace()
    this.#namespaces.set(namespace, known)
    return known
  }

  #tidy(namespace: string, known: Namespace): void {
    if (known.isEmpty && this.#namespaces.get(namespace) === known) this.#namespaces.delete(namespace)
  }
}
