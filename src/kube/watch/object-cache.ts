import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { assert } from '../../runtime/assert.ts'
import { assertStored } from '../client/stored-object.ts'

export type Change<T> =
  | { readonly kind: 'added'; readonly object: T }
  | { readonly kind: 'updated'; readonly object: T; readonly previous: T }
  | { readonly kind: 'deleted'; readonly object: T }

/** Tells every change from now on. */
export interface Changing<T> {
  subscribe(handler: (change: Change<T>) => void): Disposable
}

/** Under which values an object is found in an index: none, one or many. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** The form in which objects are held, where there are so many that their size counts. `open` gives back what was packed. */
export interface Packing<T> {
  pack(object: T): object
  open(packed: object): T
}

const asTheyAre: Packing<never> = { pack: (object) => object, open: (packed) => packed as never }

/**
 * The objects of one kind as last seen, and what changed with each new sight. Says each change once: the same version
 * of an object twice is no change, and another UID under a known name is a deletion followed by an addition.
 */
export class ObjectCache<T extends KubernetesObject> {
  readonly #packing: Packing<T>
  /** By namespace, then by name: one text for both would cost as much as a packed object. */
  readonly #objects = new Map<string | undefined, Map<string, object>>()
  readonly #indexFunctions: Readonly<Record<string, IndexFunction<T>>>
  readonly #indexes = new Map<string, Map<string, Set<object>>>()
  #size = 0

  constructor(indexFunctions: Readonly<Record<string, IndexFunction<T>>> = {}, packing: Packing<T> = asTheyAre) {
    this.#packing = packing
    this.#indexFunctions = indexFunctions
    for (const name of Object.keys(indexFunctions)) this.#indexes.set(name, new Map())
  }

  get size(): number {
    return this.#size
  }

  get({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): T | undefined {
    return this.#open(this.#objects.get(namespace)?.get(name))
  }

  list(): T[] {
    return [...this.#objects.values()].flatMap((named) =>
      [...named.values()].map((packed) => this.#packing.open(packed)),
    )
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name)
    assert(index !== undefined, `there is no index ${name}`)
    return Array.from(index.get(value) ?? [], (packed) => this.#packing.open(packed))
  }

  /** Takes in an object as it is now. */
  put(seen: T): Change<T>[] {
    assertStored(seen)
    const before = this.#packedOf(seen)
    const previous = this.#open(before)
    if (previous !== undefined && isSameVersion(previous, seen)) return []
    if (before !== undefined && previous !== undefined) this.#unindex(before, previous)
    const packed = this.#packing.pack(withoutManagedFields(seen))
    const object = this.#packing.open(packed)
    this.#keep(object, packed)
    if (previous === undefined) return [{ kind: 'added', object }]
    if (sameUid(previous, object)) return [{ kind: 'updated', object, previous }]
    return [
      { kind: 'deleted', object: previous },
      { kind: 'added', object },
    ]
  }

  /** Takes out an object that is gone; what is held under its name with another UID stays. */
  remove(seen: T): Change<T>[] {
    const packed = this.#packedOf(seen)
    const previous = this.#open(packed)
    if (packed === undefined || previous === undefined || !sameUid(previous, seen)) return []
    this.#unindex(packed, previous)
    this.#drop(seen)
    return [{ kind: 'deleted', object: withoutManagedFields(seen) }]
  }

  /** Takes in a complete list: what it does not name is gone, though no event has shown it. */
  replaceAll(objects: readonly T[]): Change<T>[] {
    const listed = new Set(objects.map(keyOfObject))
    const gone = this.#removeOthers(listed)
    return [...gone, ...objects.flatMap((object) => this.put(object))]
  }

  /** The same bit by bit: until its end, what has not been listed yet stays. */
  beginReplacement(): { put(object: T): Change<T>[]; end(): Change<T>[] } {
    // Nothing can be gone of what was empty.
    const listed = this.size === 0 ? undefined : new Set<string>()
    return {
      put: (object) => {
        listed?.add(keyOfObject(object))
        return this.put(object)
      },
      end: () => (listed === undefined ? [] : this.#removeOthers(listed)),
    }
  }

  #open(packed: object | undefined): T | undefined {
    return packed === undefined ? undefined : this.#packing.open(packed)
  }

  #packedOf({ metadata: { namespace, name } }: T): object | undefined {
    return this.#objects.get(namespace)?.get(name)
  }

  #keep(object: T, packed: object): void {
    const { namespace, name } = object.metadata
    let named = this.#objects.get(namespace)
    if (named === undefined) this.#objects.set(namespace, (named = new Map()))
    if (!named.has(name)) this.#size++
    named.set(name, packed)
    this.#index(packed, object)
  }

  #drop({ metadata: { namespace, name } }: T): void {
    const named = this.#objects.get(namespace)
    if (named?.delete(name) === true) this.#size--
    if (named?.size === 0) this.#objects.delete(namespace)
  }

  #removeOthers(listed: ReadonlySet<string>): Change<T>[] {
    return this.list().flatMap((object) => (listed.has(keyOfObject(object)) ? [] : this.remove(object)))
  }

  #index(packed: object, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexFunctions[name]?.(object) ?? []) {
        const found = index.get(value)
        if (found === undefined) index.set(value, new Set([packed]))
        else found.add(packed)
      }
    }
  }

  #unindex(packed: object, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexFunctions[name]?.(object) ?? []) {
        const found = index.get(value)
        found?.delete(packed)
        if (found?.size === 0) index.delete(value)
      }
    }
  }
}

export function cacheKey({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined
  readonly name: string
}): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

export function keyOfObject({ metadata }: KubernetesObject): string {
  return cacheKey(metadata)
}

function sameUid(one: KubernetesObject, other: KubernetesObject): boolean {
  return one.metadata.uid === other.metadata.uid
}

function isSameVersion(one: KubernetesObject, other: KubernetesObject): boolean {
  return sameUid(one, other) && one.metadata.resourceVersion === other.metadata.resourceVersion
}

/** Lifeboat does not read managedFields, and they are half of many an object. */
function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
