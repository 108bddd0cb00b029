import type { NewMeta, ObjectMeta } from '../../api/kubernetes/meta.ts'
import { assert } from '../../runtime/assert.ts'

/** The store knows JSON alone. This is the one place that says which shape it has: the caller knows the kind. */
// oxlint-disable-next-line no-unnecessary-type-parameters -- it names the shape
export function readAs<Shape>(object: object | undefined): Shape {
  return object as unknown as Shape
}

/** Any object of any kind, as a client or a builder made it: it may lack a name, and has no UID and no version yet. */
export interface AnyObject {
  apiVersion?: string
  kind?: string
  metadata: Partial<ObjectMeta>
  [field: string]: unknown
}

/** The server has checked its name and given it a UID. Only the store gives it a version: a dry run ends here. */
export interface Identified extends AnyObject {
  metadata: NewMeta & { readonly uid: string }
}

/** What the store holds. It is shared with everyone who reads it and never changed in place. */
export interface Stored extends AnyObject {
  metadata: ObjectMeta
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** `plural.group`, as in `deployments.apps`; `pods` for the core group. */
  readonly resource: string
  /** After the change; of a deletion the last state, with the deletion's own version. */
  readonly object: Stored
  readonly previous: Stored | undefined
  readonly revision: number
}

/** A listener gets every change from now on, in order, synchronously: it only notes and returns. */
export type StoreListener = (event: StoreEvent) => void

/** The version that was asked for is not in the history any more. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError'
  readonly oldestRevision: number

  constructor(oldestRevision: number) {
    super(`the history begins at ${oldestRevision}`)
    this.oldestRevision = oldestRevision
  }
}

interface Table {
  /** By `namespace/name`, or `name`. */
  readonly objects: Map<string, Stored>
  /** Sorted keys, made when the first list wants them: a cluster that is filled at once sorts once. Kept in order then. */
  sortedKeys: string[] | undefined
  readonly history: StoreEvent[]
  readonly listeners: Set<StoreListener>
  /** Versions up to here cannot be resumed from. */
  compactedRevision: number
}

/** A real API server keeps its latest events in memory by kind; this many are more than a client ever lags behind. */
const historyLengthMax = 10_000

/** Objects by kind and key, each write a new version of the whole store: what etcd is to a real API server. */
export class Store {
  readonly #tables = new Map<string, Table>()
  readonly #listeners = new Set<StoreListener>()
  #revision = 1

  get revision(): number {
    return this.#revision
  }

  /** The kinds of which there are objects, or were. */
  resources(): Iterable<string> {
    return this.#tables.keys()
  }

  get(resource: string, key: string): Stored | undefined {
    return this.#tables.get(resource)?.objects.get(key)
  }

  count(resource: string): number {
    return this.#tables.get(resource)?.objects.size ?? 0
  }

  /** In the order of their keys, as etcd has them; of one namespace, or of all. */
  list(resource: string, namespace?: string): Stored[] {
    const table = this.#tables.get(resource)
    if (table === undefined) return []
    table.sortedKeys ??= [...table.objects.keys()].toSorted(byCodePoint)
    const keys = namespace === undefined ? table.sortedKeys : keysOf(table.sortedKeys, namespace)
    return keys.map((key) => {
      const object = table.objects.get(key)
      assert(object !== undefined, 'sorted keys are those of the objects')
      return object
    })
  }

  /** Without order: for controllers that look at everything of a kind. */
  values(resource: string): Iterable<Stored> {
    return this.#tables.get(resource)?.objects.values() ?? []
  }

  /** Writes a new version. The caller has checked what must hold before. */
  put(resource: string, key: string, object: Identified): Stored {
    const table = this.#table(resource)
    const previous = table.objects.get(key)
    const revision = ++this.#revision
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
    table.objects.set(key, stored)
    if (previous === undefined) table.sortedKeys?.splice(lowerBound(table.sortedKeys, key), 0, key)
    this.#record(table, {
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      resource,
      object: stored,
      previous,
      revision,
    })
    return stored
  }

  delete(resource: string, key: string): Stored {
    const table = this.#table(resource)
    const previous = table.objects.get(key)
    assert(previous !== undefined, `${resource} ${key} is there to be deleted`)
    const revision = ++this.#revision
    table.objects.delete(key)
    table.sortedKeys?.splice(lowerBound(table.sortedKeys, key), 1)
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } }
    this.#record(table, { type: 'DELETED', resource, object, previous, revision })
    return object
  }

  /** What happened to a kind after a version, oldest first. */
  since(resource: string, revision: number): StoreEvent[] {
    const table = this.#table(resource)
    if (revision < table.compactedRevision) throw new CompactedError(table.compactedRevision)
    return table.history.slice(firstAfter(table.history, revision))
  }

  subscribe(listener: StoreListener, resource?: string): Disposable {
    const listeners = resource === undefined ? this.#listeners : this.#table(resource).listeners
    listeners.add(listener)
    return { [Symbol.dispose]: () => void listeners.delete(listener) }
  }

  /** Forgets the history, as etcd does every five minutes: a watch that resumes from before now must list again. */
  compact(): void {
    for (const table of this.#tables.values()) {
      table.history.length = 0
      table.compactedRevision = this.#revision
    }
  }

  #table(resource: string): Table {
    let table = this.#tables.get(resource)
    if (table === undefined) {
      table = { objects: new Map(), sortedKeys: undefined, history: [], listeners: new Set(), compactedRevision: 0 }
      this.#tables.set(resource, table)
    }
    return table
  }

  #record(table: Table, event: StoreEvent): void {
    table.history.push(event)
    if (table.history.length > historyLengthMax * 1.5) {
      const dropped = table.history.splice(0, table.history.length - historyLengthMax)
      table.compactedRevision = dropped.at(-1)?.revision ?? table.compactedRevision
    }
    for (const listener of table.listeners) listener(event)
    for (const listener of this.#listeners) listener(event)
  }
}

export function keyOf({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** The stretch of keys that begin with `namespace/`, found by halving: a cluster has few namespaces and many pods. */
function keysOf(sortedKeys: readonly string[], namespace: string): string[] {
  const from = lowerBound(sortedKeys, `${namespace}/`)
  // '0' is the character after '/'.
  return sortedKeys.slice(from, lowerBound(sortedKeys, `${namespace}0`))
}

function lowerBound(sorted: readonly string[], wanted: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function firstAfter(history: readonly StoreEvent[], revision: number): number {
  let [low, high] = [0, history.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((history[middle]?.revision ?? 0) <= revision) low = middle + 1
    else high = middle
  }
  return low
}

function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
