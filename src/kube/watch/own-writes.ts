import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { ObjectKey } from '../client/paths.ts'
import { cacheKey, keyOfObject, type Change, type Changing } from './object-cache.ts'
import { versionNumber } from './resource-version.ts'

/** What of an informer this needs. */
export interface Followed<T> extends Changing<T> {
  get(key: ObjectKey): T | undefined
}

/** What is known of one object beyond the watch. */
interface Entry<T> {
  /** Newer than what the watch has shown. */
  written: T | undefined
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
  get(key: ObjectKey): T | undefined {
    const seen = this.#followed.get(key)
    const entry = this.#entries.get(cacheKey(key))
    if (entry === undefined) return seen
    const newest =
      seen === undefined || entry.written === undefined ? (entry.written ?? seen) : newer(seen, entry.written)
    return newest !== undefined && newest.metadata.uid === entry.goneUid ? undefined : newest
  }

  /** The same for what the watch has just shown; undefined: it is gone. */
  newest(seen: T): T | undefined {
    return this.#entries.size === 0 ? seen : this.get(seen.metadata)
  }

  /** What was written, and not shown by the watch yet. */
  written(): readonly T[] {
    return [...this.#entries.values()].flatMap(({ written }) => written ?? [])
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
      else this.#noteWritten(entry, answer)
      return answer
    } finally {
      entry.writesUnderWay--
      this.#tidy(cacheKey(key), entry, this.#followed.get(key))
    }
  }

  #noteWritten(entry: Entry<T>, object: T): void {
    if (entry.endedUids.has(object.metadata.uid)) return
    entry.written = entry.written === undefined ? object : newer(entry.written, object)
  }

  #noteGone(key: ObjectKey, entry: Entry<T>, uid: string | undefined): void {
    if (entry.written?.metadata.uid === uid) entry.written = undefined
    if (this.#followed.get(key)?.metadata.uid === uid) entry.goneUid = uid
  }

  #seen({ kind, object }: Change<T>): void {
    const id = keyOfObject(object)
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    const { uid } = object.metadata
    if (kind === 'deleted') {
      if (entry.written?.metadata.uid === uid) entry.written = undefined
      if (entry.goneUid === uid) entry.goneUid = undefined
      if (entry.writesUnderWay > 0) entry.endedUids.add(uid)
    }
    this.#tidy(id, entry, kind === 'deleted' ? undefined : object)
  }

  #entryOf(key: ObjectKey): Entry<T> {
    const id = cacheKey(key)
    const entry = this.#entries.get(id) ?? {
      written: undefined,
      goneUid: undefined,
      writesUnderWay: 0,
      endedUids: new Set(),
    }
    this.#entries.set(id, entry)
    return entry
  }

  /** Forgets what the watch has shown by now. */
  #tidy(id: string, entry: Entry<T>, seen: T | undefined): void {
    if (entry.written !== undefined && seen !== undefined && newer(entry.written, seen) === seen)
      entry.written = undefined
    if (entry.writesUnderWay === 0 && entry.written === undefined && entry.goneUid === undefined) {
      this.#entries.delete(id)
    }
  }
}

/** The second, unless the first is newer. */
export function newer<T extends KubernetesObject>(one: T, other: T): T {
  return versionNumber(one.metadata.resourceVersion) > versionNumber(other.metadata.resourceVersion) ? one : other
}
