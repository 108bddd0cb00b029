import type { Next } from '../../../runtime/work-queue.ts'
import { WorkQueue } from '../../../runtime/work-queue.ts'
import { ApiFailure } from '../../server/failure.ts'
import { keyOf, type Stored, type StoreEvent } from '../../server/store.ts'
import { settled } from '../control-loop.ts'
import type { ControllerParts, StartController } from '../controller.ts'
import { nameOf } from '../ownership.ts'
import { areSame, type Part } from '../same-parts.ts'
import { decideCollection } from './decide-collection.ts'

/** Whom an object belongs to, and what it waits for. */
const holds: readonly Part[] = ['ownerReferences', 'finalizers', 'deletionTimestamp']

const absentMax = 500

interface Known {
  readonly resource: string
  readonly key: string
}

/** Deletes objects whose owners are all gone, and holds back owners that wait for what they own. */
export const startGarbageCollector: StartController = (parts) => new GarbageCollector(parts)

class GarbageCollector implements AsyncDisposable {
  readonly #parts: ControllerParts
  readonly #queue: WorkQueue
  readonly #subscription: Disposable
  /** Where an object is, by its UID. Only owners and what is owned are looked up, so only the living are held. */
  readonly #known = new Map<string, Known>()
  readonly #dependents = new Map<string, Set<string>>()
  /** Owners that were seen to go, the last few: also when their kind goes with them, what they owned is collected. */
  readonly #absent = new Set<string>()

  constructor(parts: ControllerParts) {
    this.#parts = parts
    const { clock, random, log } = parts
    this.#queue = new WorkQueue({
      name: 'embedded/garbage-collector',
      clock,
      random,
      log,
      concurrency: 8,
      reconcile: (uid) => this.#collect(uid),
    })
    this.#subscription = parts.store.subscribe((event) => this.#note(event))
    // Nothing is collected before all of it is known: an owner may come after what it owns.
    const { store } = parts
    for (const resource of store.resources()) {
      for (const object of store.values(resource)) {
        this.#note({ type: 'ADDED', resource, object, previous: undefined, revision: store.revision })
      }
    }
    this.#queue.start(new AbortController().signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]()
    await this.#queue.stop()
  }

  #note({ type, resource, object, previous }: StoreEvent): void {
    const { uid } = object.metadata
    const isSame = type === 'MODIFIED' && previous !== undefined && areSame(holds, object, previous)
    if (isSame && this.#known.has(uid)) return
    for (const owner of previous?.metadata.ownerReferences ?? []) this.#unlink(owner.uid, uid)
    if (type === 'DELETED') {
      this.#known.delete(uid)
      this.#noteAbsent(uid)
      // Objects that it owned may have lost their last owner; its own owners may have waited for it.
      for (const dependent of this.#dependents.get(uid) ?? []) this.#queue.add(dependent)
      for (const owner of object.metadata.ownerReferences ?? []) this.#queue.add(owner.uid)
      return
    }
    this.#known.set(uid, { resource, key: keyOf(object.metadata) })
    for (const owner of object.metadata.ownerReferences ?? []) this.#link(owner.uid, uid)
    const changesOwners = (object.metadata.ownerReferences ?? []).length > 0
    if (changesOwners || object.metadata.deletionTimestamp !== undefined) this.#queue.add(uid)
    for (const owner of previous?.metadata.ownerReferences ?? []) this.#queue.add(owner.uid)
  }

  #noteAbsent(uid: string): void {
    if (!this.#dependents.has(uid)) return
    this.#absent.add(uid)
    const [oldest] = this.#absent
    if (this.#absent.size > absentMax && oldest !== undefined) this.#absent.delete(oldest)
  }

  async #collect(uid: string): Promise<Next> {
    const known = this.#known.get(uid)
    const object = known === undefined ? undefined : this.#parts.store.get(known.resource, known.key)
    if (known === undefined || object === undefined || object.metadata.uid !== uid) return settled
    const dependents = [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#objectOf(dependent) ?? [])
    const decision = decideCollection({
      object,
      ownerOf: ({ uid: owner }) => this.#objectOf(owner),
      isServed: (owner) => this.#absent.has(owner.uid) || this.#parts.api.serves(owner.apiVersion, owner.kind),
      dependents,
    })
    switch (decision.kind) {
      case 'nothing':
        break
      case 'delete':
        await this.#delete(object, known.resource)
        break
      case 'deleteDependents':
        for (const dependent of decision.dependents)
          await this.#delete(dependent, this.#known.get(dependent.metadata.uid)?.resource)
        break
      case 'keepOwners':
        await this.#patch(object, known.resource, { ownerReferences: decision.owners })
        break
      case 'orphan':
        for (const dependent of decision.dependents) await this.#orphan(dependent, uid)
        this.#queue.add(uid)
        break
      case 'dropFinalizer':
        await this.#patch(object, known.resource, {
          finalizers: object.metadata.finalizers?.filter((name) => name !== decision.finalizer),
        })
        break
      default:
        decision satisfies never
    }
    return settled
  }

  /** Only the same UID is the same object. */
  #objectOf(uid: string): Stored | undefined {
    const known = this.#known.get(uid)
    const object = known === undefined ? undefined : this.#parts.store.get(known.resource, known.key)
    return object?.metadata.uid === uid ? object : undefined
  }

  async #orphan(dependent: Stored, ownerUid: string): Promise<void> {
    const ownerReferences = dependent.metadata.ownerReferences?.filter(({ uid }) => uid !== ownerUid)
    await this.#patch(dependent, this.#known.get(dependent.metadata.uid)?.resource, { ownerReferences })
  }

  async #patch(object: Stored, resource: string | undefined, metadata: object): Promise<void> {
    if (resource === undefined) return
    const { uid, resourceVersion } = object.metadata
    const patch = { metadata: { ...metadata, uid, resourceVersion } }
    const isDone = await ignoringGone(this.#parts.api.mergePatch(resource, nameOf(object.metadata), patch))
    // Another writer's change came first, and need not be one that wakes us.
    if (!isDone) this.#queue.add(uid)
  }

  async #delete(object: Stored, resource: string | undefined): Promise<void> {
    const { uid, deletionTimestamp } = object.metadata
    if (resource === undefined || deletionTimestamp !== undefined) return
    await ignoringGone(
      this.#parts.api.delete(resource, nameOf(object.metadata), {
        preconditions: { uid },
        propagationPolicy: 'Background',
      }),
    )
  }

  #link(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner)
    if (dependents === undefined) this.#dependents.set(owner, new Set([dependent]))
    else dependents.add(dependent)
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner)
    dependents?.delete(dependent)
    if (dependents?.size === 0) this.#dependents.delete(owner)
  }
}

/** False: gone, or another by now. Anything else is tried again by the queue. */
async function ignoringGone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (!(error instanceof ApiFailure) || (error.code !== 404 && error.code !== 409)) throw error
    return false
  }
}
