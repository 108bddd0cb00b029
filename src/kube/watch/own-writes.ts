import type { DeepReadonly, KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Change } from './object-cache.ts'

/** What of an informer this needs. */
export interface Followed<T> {
  get(key: ObjectKey): DeepReadonly<T> | undefined
  subscribe(handler: (change: Change<T>) => void): Disposable
}

interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** What is known of one object beyond the watch. */
interface Entry<T> {
  /** Newer than what the watch has shown. */
  written: DeepReadonly<T> | undefined
  /** The API server said that this one is gone, and the watch has not shown it yet. */
  goneUid: string | undefined
  writesUnderWay: number
  /** The watch showed its end while a write was under way: the answer to that write is old by then. */
  endedUids: Set<string>
}

/**
 * What an informer has seen, with what this process wrote since on top of it (client-go calls it a mutation cache). A
 * watch shows a write a moment later; code that looks in between must not act on what was before.
 */
export class OwnWrites<T extends KubernetesObject> {
  readonly #followed: Followed<T>
  readonly #entries = new Map<string, Entry<T>>()

  constructor(followed: Followed<T>) {
    this.#followed = followed
    followed.subscribe((change) => this.#seen(change))
  }

  /** The newest version that this process has seen. */
  get(key: ObjectKey): DeepReadonly<T> | undefined {
    const seen = this.#followed.get(key)
    const entry = this.#entries.get(idOf(key))
    if (entry === undefined) return seen
    const newest =
      seen === undefined || entry.written === undefined ? (entry.written ?? seen) : newer(seen, entry.written)
    return newest !== undefined && newest.metadata.uid === entry.goneUid ? undefined : newest
  }

  /**
   * Sends a write, or a read that is newer than the watch, and keeps its answer until the watch has shown as much. An
   * answer of undefined means that the API server has no such object any more.
   */
  async keep<Answer extends T | undefined>(key: ObjectKey, send: () => Promise<Answer>): Promise<Answer> {
    const entry = this.#entryOf(key)
    const before = this.get(key)
    entry.writesUnderWay++
    try {
      const answer = await send()
      if (answer === undefined) this.#noteGone(key, entry, before?.metadata.uid)
      else this.#noteWritten(entry, answer as T as DeepReadonly<T>)
      return answer
    } finally {
      entry.writesUnderWay--
      this.#tidy(key, entry)
    }
  }

  #noteWritten(entry: Entry<T>, object: DeepReadonly<T>): void {
    if (entry.endedUids.has(object.metadata.uid ?? '')) return
    entry.written = entry.written === undefined ? object : newer(entry.written, object)
  }

  #noteGone(key: ObjectKey, entry: Entry<T>, uid: string | undefined): void {
    if (entry.written?.metadata.uid === uid) entry.written = undefined
    if (this.#followed.get(key)?.metadata.uid === uid) entry.goneUid = uid
  }

  #seen({ kind, object }: Change<T>): void {
    const { namespace, name = '' } = object.metadata
    const key = namespace === undefined ? { name } : { namespace, name }
    const entry = this.#entries.get(idOf(key))
    if (entry === undefined) return
    const { uid = '' } = object.metadata
    if (kind === 'deleted') {
      if (entry.written?.metadata.uid === uid) entry.written = undefined
      if (entry.goneUid === uid) entry.goneUid = undefined
      if (entry.writesUnderWay > 0) entry.endedUids.add(uid)
    } else if (entry.written !== undefined && newer(entry.written, object) === object) {
      entry.written = undefined
    }
    this.#tidy(key, entry)
  }

  #entryOf(key: ObjectKey): Entry<T> {
    const id = idOf(key)
    const entry = this.#entries.get(id) ?? {
      written: undefined,
      goneUid: undefined,
      writesUnderWay: 0,
      endedUids: new Set(),
    }
    this.#entries.set(id, entry)
    return entry
  }

  #tidy(key: ObjectKey, entry: Entry<T>): void {
    const seen = this.#followed.get(key)
    if (entry.written !== undefined && seen !== undefined && newer(entry.written, seen) === seen)
      entry.written = undefined
    if (entry.writesUnderWay === 0 && entry.written === undefined && entry.goneUid === undefined) {
      this.#entries.delete(idOf(key))
    }
  }
}

function idOf({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** The second, unless the first is newer. Versions are numbers that grow, as Kubernetes promises since 1.35 and always did before. */
function newer<T extends KubernetesObject>(one: DeepReadonly<T>, other: DeepReadonly<T>): DeepReadonly<T> {
  return version(one) > version(other) ? one : other
}

function version({ metadata: { resourceVersion = '' } }: DeepReadonly<KubernetesObject>): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n
}
