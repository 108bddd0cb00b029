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

/**
 * The objects of one kind as last seen, and what changed with each new sight. Says each change once: the same version
 * of an object twice is no change, and another UID under a known name is a deletion followed by an addition.
 */
export class ObjectCache<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>()
  readonly #indexFunctions: Readonly<Record<string, IndexFunction<T>>>
  readonly #indexes = new Map<string, Map<string, Set<string>>>()

  constructor(indexFunctions: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexFunctions = indexFunctions
    for (const name of Object.keys(indexFunctions)) this.#indexes.set(name, new Map())
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: { readonly namespace?: string; readonly name: string }): T | undefined {
    return this.#objects.get(cacheKey(key))
  }

  list(): T[] {
    return [...this.#objects.values()]
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name)
    assert(index !== undefined, `there is no index ${name}`)
    const found: T[] = []
    for (const key of index.get(value) ?? []) {
      const object = this.#objects.get(key)
      assert(object !== undefined, 'an index names only what the cache holds')
      found.push(object)
    }
    return found
  }

  /** Takes in an object as it is now. */
  put(seen: T): Change<T>[] {
    assertStored(seen)
    const object = withoutManagedFields(seen)
    const key = keyOfObject(object)
    const previous = this.#objects.get(key)
    if (previous !== undefined && isSameVersion(previous, object)) return []
    if (previous !== undefined) this.#unindex(key, previous)
    this.#objects.set(key, object)
    this.#index(key, object)
    if (previous === undefined) return [{ kind: 'added', object }]
    if (sameUid(previous, object)) return [{ kind: 'updated', object, previous }]
    return [
      { kind: 'deleted', object: previous },
      { kind: 'added', object },
    ]
  }

  /** Takes out an object that is gone; what is held under its name with another UID stays. */
  remove(seen: T): Change<T>[] {
    const key = keyOfObject(seen)
    const previous = this.#objects.get(key)
    if (previous === undefined || !sameUid(previous, seen)) return []
    this.#unindex(key, previous)
    this.#objects.delete(key)
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

  #removeOthers(listed: ReadonlySet<string>): Change<T>[] {
    const changes: Change<T>[] = []
    for (const [key, object] of this.#objects) if (!listed.has(key)) changes.push(...this.remove(object))
    return changes
  }

  #index(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexFunctions[name]?.(object) ?? []) {
        const keys = index.get(value)
        if (keys === undefined) index.set(value, new Set([key]))
        else keys.add(key)
      }
    }
  }

  #unindex(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      for (const value of this.#indexFunctions[name]?.(object) ?? []) {
        const keys = index.get(value)
        keys?.delete(key)
        if (keys?.size === 0) index.delete(value)
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
