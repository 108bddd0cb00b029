import { evacuations, type Evacuation, type EvacuationStatusChange } from '../api/evacuation/evacuation.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { keyOf, type Kube } from '../kube/client/client.ts'
import { isKubeError } from '../kube/client/errors.ts'

export interface EvacuationKey {
  readonly namespace: string
  readonly name: string
}

export type EvacuationChange =
  | { readonly kind: 'status'; readonly status: EvacuationStatusChange }
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }

/** `kept`: there was nothing to change, or no more reason to. */
export type WriteOutcome = 'written' | 'kept' | 'gone'

const attemptsMax = 5

/**
 * Writes to Evacuations, each write on top of the version it was decided on. Remembers what it wrote: the watch shows it
 * a moment later, and whoever looks in between must not act on what was before.
 */
export class EvacuationWriter {
  readonly #kube: Kube
  readonly #cached: (key: EvacuationKey) => DeepReadonly<Evacuation> | undefined
  readonly #written = new Map<string, DeepReadonly<Evacuation>>()
  readonly #goneUids = new Map<string, string | undefined>()

  constructor(kube: Kube, cached: (key: EvacuationKey) => DeepReadonly<Evacuation> | undefined) {
    this.#kube = kube
    this.#cached = cached
  }

  /** The newest version that anybody here has seen. */
  latest(key: EvacuationKey): DeepReadonly<Evacuation> | undefined {
    const id = idOf(key)
    const cached = this.#cached(key)
    const written = this.#written.get(id)
    const newest = cached === undefined || written === undefined ? (written ?? cached) : newerOf(cached, written)
    return newest !== undefined && this.#goneUids.get(id) === newest.metadata.uid ? undefined : newest
  }

  /** The watch says that it is gone, or nobody asks for it any more. */
  forget(key: EvacuationKey): void {
    this.#written.delete(idOf(key))
    this.#goneUids.delete(idOf(key))
  }

  /** As the API server has it now. */
  async refresh(key: EvacuationKey, signal: AbortSignal): Promise<DeepReadonly<Evacuation> | undefined> {
    try {
      const evacuation: DeepReadonly<Evacuation> = await this.#kube.get(evacuations, key, { signal })
      this.#written.set(idOf(key), evacuation)
      return evacuation
    } catch (error) {
      if (!isKubeError(error, 'notFound')) throw error
      this.#noteGone(key)
      return undefined
    }
  }

  /** Asks anew what to change each time that somebody else was faster. */
  async write(
    key: EvacuationKey,
    decide: (evacuation: DeepReadonly<Evacuation>) => EvacuationChange | undefined,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    let evacuation = this.latest(key)
    for (let attempts = 1; evacuation !== undefined; attempts++) {
      const change = decide(evacuation)
      if (change === undefined || isEmpty(change)) return 'kept'
      try {
        this.#written.set(idOf(key), await this.#send(evacuation, change, signal))
        return 'written'
      } catch (error) {
        if (!isKubeError(error, 'conflict', 'notFound') || attempts >= attemptsMax) throw error
        evacuation = await this.refresh(key, signal)
      }
    }
    return 'gone'
  }

  #send(evacuation: DeepReadonly<Evacuation>, change: EvacuationChange, signal: AbortSignal): Promise<Evacuation> {
    const { resourceVersion } = evacuation.metadata
    const isStatus = change.kind === 'status'
    const body = isStatus
      ? { metadata: { resourceVersion }, status: change.status }
      : { metadata: { resourceVersion, finalizers: change.finalizers } }
    const options = { signal, ...(isStatus ? { subresource: 'status' } : {}) }
    return this.#kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, options)
  }

  #noteGone(key: EvacuationKey): void {
    this.#written.delete(idOf(key))
    const uid = this.#cached(key)?.metadata.uid
    if (uid !== undefined) this.#goneUids.set(idOf(key), uid)
  }
}

export function idOf({ namespace, name }: EvacuationKey): string {
  return `${namespace}/${name}`
}

export function keyOfId(id: string): EvacuationKey {
  const separator = id.indexOf('/')
  return { namespace: id.slice(0, separator), name: id.slice(separator + 1) }
}

/** Versions of one object are numbers that grow, as Kubernetes promises since 1.35 and always did before. */
function newerOf(cached: DeepReadonly<Evacuation>, written: DeepReadonly<Evacuation>): DeepReadonly<Evacuation> {
  return version(written) > version(cached) ? written : cached
}

function version({ metadata: { resourceVersion = '' } }: DeepReadonly<Evacuation>): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n
}

function isEmpty(change: EvacuationChange): boolean {
  return change.kind === 'status' && Object.keys(change.status).length === 0
}
