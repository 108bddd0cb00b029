import { evacuations, type Evacuation, type EvacuationStatusChange } from '../api/evacuation/evacuation.ts'
import { finishedMark, finishedSelector } from '../api/evacuation/finished-mark.ts'
import { instigatorFinalizer, withFinalizer, withoutFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import { keyOf, type Kube } from '../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../kube/client/errors.ts'
import { OwnWrites, type Followed } from '../kube/watch/own-writes.ts'
import type { EvacuationKey } from './evacuation-key.ts'

export type EvacuationChange =
  | { readonly kind: 'status'; readonly status: EvacuationStatusChange }
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }
  /** The same, and it is marked as one that is only to be deleted. */
  | { readonly kind: 'finish'; readonly finalizers: readonly string[] }

/** The hold of an evacuator on an Evacuation: a finalizer of its class. */
export interface Hold {
  readonly evacuatorClass: string
  readonly key: EvacuationKey
  readonly uid: string
}

/** `kept`: there was nothing to change, or no more reason to. */
export type WriteOutcome = 'written' | 'kept' | 'gone'

const attemptsMax = 5
/** A watch that spoke within this time has shown what was before. */
const freshForMs = 2_000

/** All Evacuations, as a watch shows them. */
export interface FollowedEvacuations extends Followed<Evacuation> {
  /** How long ago the watch said anything. */
  silentForMs(): number
}

/**
 * All writes to Evacuations that exist. Each is sent on top of the version it was decided on, and seen here before the
 * watch shows it. One writer serves all controllers of a process.
 */
export class EvacuationWriter {
  readonly #kube: Kube
  readonly #followed: FollowedEvacuations
  readonly #known: OwnWrites<Evacuation>

  constructor(kube: Kube, followed: FollowedEvacuations) {
    this.#kube = kube
    this.#followed = followed
    this.#known = new OwnWrites(followed)
  }

  /** The newest version that this process has seen. */
  latest(key: EvacuationKey): Evacuation | undefined {
    return this.#known.get(key)
  }

  /** As the API server had it a moment ago; it is asked only if the watch is silent. */
  async recent(key: EvacuationKey, signal: AbortSignal): Promise<Evacuation | undefined> {
    return this.#followed.silentForMs() < freshForMs ? this.latest(key) : this.refresh(key, signal)
  }

  /** As the API server has it now. */
  refresh(key: EvacuationKey, signal: AbortSignal): Promise<Evacuation | undefined> {
    return this.#known.keep(key, () => unlessNotFound(this.#kube.get(evacuations, key, { signal })))
  }

  /** Asks again what to change each time that another writer was faster. */
  async write(
    key: EvacuationKey,
    decide: (evacuation: Evacuation) => EvacuationChange | undefined,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    let evacuation = this.latest(key)
    for (let attempts = 1; evacuation !== undefined; attempts++) {
      const change = decide(evacuation)
      if (change === undefined || isEmpty(change)) return 'kept'
      try {
        await this.change(evacuation, change, signal)
        return 'written'
      } catch (error) {
        if (!isKubeError(error, 'conflict', 'notFound') || attempts >= attemptsMax) throw error
        evacuation = await this.refresh(key, signal)
      }
    }
    return 'gone'
  }

  /** Refused with a conflict if the Evacuation was written meanwhile: what was decided may not hold any more. */
  async change(evacuation: Evacuation, change: EvacuationChange, signal: AbortSignal): Promise<Evacuation> {
    const { resourceVersion } = evacuation.metadata
    const options = { signal, ...(change.kind === 'status' ? { subresource: 'status' } : {}) }
    const body = bodyOf(change, resourceVersion)
    const key = keyOf(evacuation)
    return this.#known.keep(key, () => this.#kube.patch(evacuations, key, { type: 'merge', body }, options))
  }

  /** Sees to it that a cancelled Evacuation stays until the class has put things back. Nothing happens if it may not. */
  async takeHold(hold: Hold, mayHold: (current: Evacuation) => boolean, signal: AbortSignal): Promise<void> {
    const finalizer = instigatorFinalizer(hold.evacuatorClass)
    await this.write(hold.key, (current) => (mayHold(current) ? withHold(current, finalizer) : undefined), signal)
  }

  /** Takes away the finalizer of the class and no other, from this very Evacuation. */
  async releaseHold(hold: Hold, signal: AbortSignal): Promise<void> {
    const finalizer = instigatorFinalizer(hold.evacuatorClass)
    const isOurs = (current: Evacuation) => current.metadata.uid === hold.uid
    await this.write(hold.key, (current) => (isOurs(current) ? withoutHold(current, finalizer) : undefined), signal)
  }

  /** Deletes all of a namespace that are marked as finished. */
  async deleteFinished(namespace: string, signal: AbortSignal): Promise<void> {
    await this.#kube.deleteSelected(evacuations, { namespace, labelSelector: finishedSelector }, { signal })
  }

  /** `ifUnchanged`: only this version of it, so that no instigator can join at this moment. */
  async delete(
    evacuation: Evacuation,
    { ifUnchanged = false, signal }: { readonly ifUnchanged?: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { uid, resourceVersion } = evacuation.metadata
    const version = ifUnchanged ? { resourceVersion } : {}
    const key = keyOf(evacuation)
    const options = { preconditions: { uid, ...version }, signal }
    await this.#known.keep(key, () => this.#kube.delete(evacuations, key, options))
  }
}

function bodyOf(change: EvacuationChange, resourceVersion: string): object {
  if (change.kind === 'status') return { metadata: { resourceVersion }, status: change.status }
  const { kind, finalizers } = change
  return { metadata: { resourceVersion, finalizers, ...(kind === 'finish' ? { labels: finishedMark } : {}) } }
}

function withHold({ metadata: { finalizers = [] } }: Evacuation, finalizer: string): EvacuationChange | undefined {
  if (finalizers.includes(finalizer)) return undefined
  return { kind: 'finalizers', finalizers: withFinalizer(finalizers, finalizer) }
}

function withoutHold({ metadata: { finalizers = [] } }: Evacuation, finalizer: string): EvacuationChange | undefined {
  if (!finalizers.includes(finalizer)) return undefined
  return { kind: 'finalizers', finalizers: withoutFinalizer(finalizers, finalizer) }
}

function isEmpty(change: EvacuationChange): boolean {
  return change.kind === 'status' && Object.keys(change.status).length === 0
}
