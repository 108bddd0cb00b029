import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { keyOfObject, type Change, type Changing } from './object-cache.ts'
import type { Informer } from './informer.ts'
import { versionNumber } from './resource-version.ts'

/** What an informer knows, whichever it is. */
export interface FollowedObjects<T extends KubernetesObject> extends Changing<T> {
  /** True once there was a complete list; what get and list say before then is not all there is. */
  readonly isSynced: boolean
  synced(): Promise<void>
  /** The version of the last complete list. */
  readonly listedVersion: bigint
  /** Whether all is here that the API server had at this version. */
  hasSeen(version: bigint): boolean
  seen(version: bigint): Promise<void>
  /** How long ago the API server said anything. */
  silentForMs(): number
  get(key: { readonly namespace?: string; readonly name: string }): T | undefined
  list(): T[]
  byIndex(name: string, value: string): T[]
}

/** What a part reads: an informer of its own has nothing else, one of the whole kind has the part in an index. */
type Source<T extends KubernetesObject> =
  | { readonly kind: 'own'; readonly followed: FollowedObjects<T>; readonly stop: AbortController }
  | { readonly kind: 'whole'; readonly followed: FollowedObjects<T>; readonly whole: WholeOf<T> }

interface WholeOf<T> {
  readonly index: string
  readonly keyOf: (object: T) => string
}

/**
 * The objects of one key, as an informer has them. Which informer that is may change meanwhile, and what differs between
 * the two is told then as what it is: changes. Never does it go back in time: a pod that is gone does not come back.
 */
export class FollowedPart<T extends KubernetesObject> implements FollowedObjects<T>, Disposable {
  readonly key: string
  holders = 0
  readonly #handlers = new Set<(change: Change<T>) => void>()
  readonly #firstSync = Promise.withResolvers<void>()
  #settled = Promise.withResolvers<void>()
  #source: Source<T> | undefined
  /** What it will read as soon as that is complete. */
  #next: Source<T> | undefined
  #toldVersion = -1n

  constructor(key: string) {
    this.key = key
  }

  get isSynced(): boolean {
    return this.#source?.followed.isSynced ?? false
  }

  synced(): Promise<void> {
    return this.#firstSync.promise
  }

  get listedVersion(): bigint {
    return this.#source?.followed.listedVersion ?? -1n
  }

  hasSeen(version: bigint): boolean {
    return this.#source?.followed.hasSeen(version) ?? false
  }

  async seen(version: bigint): Promise<void> {
    await (this.#source?.followed ?? never).seen(version)
  }

  silentForMs(): number {
    return this.#source?.followed.silentForMs() ?? Number.POSITIVE_INFINITY
  }

  /** Now, or as soon as that is complete. */
  get readsWhole(): boolean {
    return this.#source?.kind === 'whole' || this.#next?.kind === 'whole'
  }

  /** Resolves when it reads what it was last told to read, or is not needed any more. */
  settled(): Promise<void> {
    return this.#settled.promise
  }

  get(key: { readonly namespace?: string; readonly name: string }): T | undefined {
    const found = this.#source?.followed.get(key)
    return found !== undefined && this.#isOfIt(found) ? found : undefined
  }

  list(): T[] {
    return listOf(this.#source, this.key)
  }

  byIndex(name: string, value: string): T[] {
    return this.#source?.followed.byIndex(name, value).filter((object) => this.#isOfIt(object)) ?? []
  }

  /** Tells every change from now on, in order, synchronously. What is there already is not told. */
  subscribe(handler: (change: Change<T>) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  readOwn(open: () => Informer<T>): void {
    if (this.#aim()?.kind === 'own') return
    if (this.#source?.kind === 'own' && !this.#source.stop.signal.aborted) {
      this.#turnTo(this.#source)
      return
    }
    const followed = open()
    const stop = new AbortController()
    const source: Source<T> = { kind: 'own', followed, stop }
    followed.subscribe((change) => {
      if (this.#source === source) this.#tell(change)
    })
    void followed.run(stop.signal)
    this.#turnTo(source)
  }

  readWhole(followed: FollowedObjects<T>, whole: WholeOf<T>): void {
    if (this.#aim()?.kind !== 'whole') this.#turnTo({ kind: 'whole', followed, whole })
  }

  /** Of this key, in the informer of the whole kind. */
  noteInWhole(change: Change<T>): void {
    if (this.#source?.kind === 'whole') this.#tell(change)
  }

  [Symbol.dispose](): void {
    for (const source of [this.#source, this.#next]) close(source, this.key)
    this.#source = undefined
    this.#next = undefined
    this.#settled.resolve()
  }

  #aim(): Source<T> | undefined {
    return this.#next ?? this.#source
  }

  #turnTo(source: Source<T>): void {
    if (this.#next !== this.#source) close(this.#next, this.key)
    // What the whole has already is told as one when it is read; an informer of its own tells as it lists.
    if (source.kind === 'own') this.#source ??= source
    this.#next = source
    this.#settled.resolve()
    this.#settled = Promise.withResolvers()
    void this.#arriveOnceSynced(source)
  }

  async #arriveOnceSynced(source: Source<T>): Promise<void> {
    await source.followed.synced()
    if (this.#next !== source) return
    // Its own informer stops here, so that the other can catch up. Until then all stays as it was last seen.
    if (this.#source !== source) close(this.#source, this.key)
    while (this.#isBehind(source)) await source.followed.seen(this.#knownVersion)
    if (this.#next === source) this.#arrive(source)
  }

  #isBehind(source: Source<T>): boolean {
    const isTurning = this.#next === source && this.#source !== undefined && this.#source !== source
    return isTurning && !source.followed.hasSeen(this.#knownVersion)
  }

  /** What was told of, and what a list showed to be gone without a word of it. */
  get #knownVersion(): bigint {
    const { listedVersion } = this
    return listedVersion > this.#toldVersion ? listedVersion : this.#toldVersion
  }

  #arrive(source: Source<T>): void {
    const before = this.#source
    this.#next = undefined
    this.#source = source
    if (before !== source) {
      close(before, this.key)
      for (const change of differences(listOf(before, this.key), listOf(source, this.key))) this.#tell(change)
    }
    this.#firstSync.resolve()
    this.#settled.resolve()
  }

  #isOfIt(object: T): boolean {
    return this.#source?.kind !== 'whole' || this.#source.whole.keyOf(object) === this.key
  }

  #tell(change: Change<T>): void {
    const version = versionNumber(change.object.metadata.resourceVersion)
    if (version > this.#toldVersion) this.#toldVersion = version
    for (const handler of this.#handlers) handler(change)
  }
}

/** What is not followed any more sees nothing new. */
const never = { seen: () => new Promise<void>(() => {}) }

function listOf<T extends KubernetesObject>(source: Source<T> | undefined, key: string): T[] {
  if (source === undefined) return []
  return source.kind === 'own' ? source.followed.list() : source.followed.byIndex(source.whole.index, key)
}

function differences<T extends KubernetesObject>(before: readonly T[], after: readonly T[]): Change<T>[] {
  const known = new Map(before.map((object) => [idOf(object), object]))
  const changes: Change<T>[] = []
  for (const object of after) {
    const previous = known.get(idOf(object))
    known.delete(idOf(object))
    if (previous === undefined) changes.push({ kind: 'added', object })
    else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion)
      changes.push({ kind: 'updated', object, previous })
  }
  const gone = [...known.values()].map((object): Change<T> => ({ kind: 'deleted', object }))
  return [...gone, ...changes]
}

function idOf(object: KubernetesObject): string {
  return `${keyOfObject(object)} ${object.metadata.uid}`
}

function close<T extends KubernetesObject>(source: Source<T> | undefined, key: string): void {
  if (source?.kind === 'own') source.stop.abort(new Error(`what belongs to ${key} is not needed any more`))
}
