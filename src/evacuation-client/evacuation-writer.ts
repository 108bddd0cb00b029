import {
  evacuations,
  newEvacuationStatus,
  type Evacuation,
  type EvacuationStatusChange,
} from '../api/evacuation/evacuation.ts'
import { idOfObject } from '../api/kubernetes/object-id.ts'
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

/** A status that is not needed yet. */
interface Intended {
  readonly uid: string
  readonly status: EvacuationStatusChange
  readonly atMs: number
  /** Ends its writing, which may have to wait for long. */
  readonly forgotten: AbortController
}

const attemptsMax = 5
/** What only says how far it is lets what moves pods go first; what is left to tidy even longer. */
const yieldsForMs = { intended: 15_000, report: 5_000, finish: 30_000 }
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
  /** By the id of the Evacuation. */
  readonly #intended = new Map<string, Intended>()
  readonly #handlers = new Set<(evacuation: Evacuation) => void>()

  constructor(kube: Kube, followed: FollowedEvacuations) {
    this.#kube = kube
    this.#followed = followed
    this.#known = new OwnWrites(followed)
    followed.subscribe(({ kind, object }) => {
      if (kind === 'deleted') this.forgetIntended(object)
    })
  }

  /** The newest version that this process has seen, with what is intended. */
  latest(key: EvacuationKey): Evacuation | undefined {
    const known = this.#known.get(key)
    const intended = known === undefined ? undefined : this.#intendedOf(known)
    return known === undefined || intended === undefined ? known : withStatus(known, intended.status)
  }

  /**
   * Gives it a status that all see who ask this writer, and that is written when there is time, or with the next one. Only
   * for what a restart would decide again in the same way: most pods are gone by then, and it is never written.
   */
  intend(evacuation: Evacuation, status: EvacuationStatusChange, atMs: number): void {
    const { uid } = evacuation.metadata
    this.#intended.set(idOfObject(evacuation), { uid, status, atMs, forgotten: new AbortController() })
    for (const handler of this.#handlers) handler(withStatus(evacuation, status))
  }

  /** Its pod is gone: there is nothing to read about it any more. */
  forgetIntended(evacuation: Evacuation): void {
    const id = idOfObject(evacuation)
    this.#intended.get(id)?.forgotten.abort(new Error('its pod is gone'))
    this.#intended.delete(id)
  }

  /** As onIntended, for who intends: what it has not written at its end is forgotten, as by a restart. */
  intending(handler: (evacuation: Evacuation) => void): Disposable {
    const told = this.onIntended(handler)
    return {
      [Symbol.dispose]: () => {
        told[Symbol.dispose]()
        this.#intended.clear()
      },
    }
  }

  /** Tells of each Evacuation that has got an intended status. */
  onIntended(handler: (evacuation: Evacuation) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  /** Since when it has an intended status; undefined: it has none any more. */
  intendedAtMs(key: EvacuationKey): number | undefined {
    const known = this.#known.get(key)
    return known === undefined ? undefined : this.#intendedOf(known)?.atMs
  }

  /** Writes what was intended, if that is still to be done. */
  async writeIntended(key: EvacuationKey, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(key)
    const intended = known === undefined ? undefined : this.#intendedOf(known)
    if (known === undefined || intended === undefined) return
    const { signal: forgotten } = intended.forgotten
    try {
      const until = AbortSignal.any([signal, forgotten])
      await this.change(known, { kind: 'status', status: {} }, until, yieldsForMs.intended)
    } catch (error) {
      if (!forgotten.aborted || signal.aborted) throw error
    }
  }

  /** As the API server had it a moment ago; it is asked only if the watch is silent. */
  async recent(key: EvacuationKey, signal: AbortSignal): Promise<Evacuation | undefined> {
    return this.#followed.silentForMs() < freshForMs ? this.latest(key) : this.refresh(key, signal)
  }

  /** As the API server has it now. */
  async refresh(key: EvacuationKey, signal: AbortSignal): Promise<Evacuation | undefined> {
    await this.#known.keep(key, () => unlessNotFound(this.#kube.get(evacuations, key, { signal })))
    return this.latest(key)
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
        await this.change(evacuation, change, signal, change.kind === 'status' ? yieldsForMs.report : undefined)
        return 'written'
      } catch (error) {
        if (!isKubeError(error, 'conflict', 'notFound') || attempts >= attemptsMax) throw error
        evacuation = await this.refresh(key, signal)
      }
    }
    return 'gone'
  }

  /** Refused with a conflict if the Evacuation was written meanwhile: what was decided may not hold any more. */
  async change(
    evacuation: Evacuation,
    change: EvacuationChange,
    signal: AbortSignal,
    hasTimeMs = change.kind === 'finish' ? yieldsForMs.finish : undefined,
  ): Promise<Evacuation> {
    const key = keyOf(evacuation)
    const id = idOfObject(evacuation)
    const intended = change.kind === 'finalizers' ? undefined : this.#intendedOf(evacuation)
    const options = {
      signal,
      yieldsForMs: hasTimeMs,
      ...(change.kind === 'status' ? { subresource: 'status' } : {}),
    }
    const said = change.kind === 'status' ? { ...change, status: { ...intended?.status, ...change.status } } : change
    const body = bodyOf(said, evacuation.metadata.resourceVersion)
    const written = await this.#known.keep(key, () =>
      this.#kube.patch(evacuations, key, { type: 'merge', body }, options),
    )
    if (intended !== undefined && this.#intended.get(id) === intended) this.#intended.delete(id)
    return written
  }

  /** Undefined as well where another writer has given it a status meanwhile. */
  #intendedOf(known: Evacuation): Intended | undefined {
    const id = idOfObject(known)
    const intended = this.#intended.get(id)
    if (intended === undefined) return undefined
    const seen = this.#known.get(keyOf(known)) ?? known
    if (intended.uid === known.metadata.uid && seen.status?.activeEvacuatorClass === undefined) return intended
    this.#intended.delete(id)
    return undefined
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
    await this.#kube.deleteSelected(
      evacuations,
      { namespace, labelSelector: finishedSelector },
      { signal, yieldsForMs: yieldsForMs.finish },
    )
  }

  /** `ifUnchanged`: only this version of it, so that no instigator can join at this moment. */
  async delete(
    evacuation: Evacuation,
    {
      ifUnchanged = false,
      hasTime = false,
      signal,
    }: { readonly ifUnchanged?: boolean; readonly hasTime?: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { uid, resourceVersion } = evacuation.metadata
    const version = ifUnchanged ? { resourceVersion } : {}
    const key = keyOf(evacuation)
    const options = {
      preconditions: { uid, ...version },
      signal,
      ...(hasTime ? { yieldsForMs: yieldsForMs.finish } : {}),
    }
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

function withStatus(evacuation: Evacuation, change: EvacuationStatusChange): Evacuation {
  const said = Object.entries(change).filter(([, value]) => value !== null)
  return { ...evacuation, status: { ...newEvacuationStatus, ...evacuation.status, ...Object.fromEntries(said) } }
}

function isEmpty(change: EvacuationChange): boolean {
  return change.kind === 'status' && Object.keys(change.status).length === 0
}
