import { keyOf, readAs } from '../server/store.ts'
import type { ControllerParts } from './controller.ts'
import { getObject, listObjects, type Kinds } from './typed-store.ts'

export interface Grouping<T> {
  /** What the groups are read from. While it is the very same, an object stays in its groups. */
  readonly by: (object: T) => unknown
  readonly groupsOf: (object: T) => readonly string[]
}

/** For groups that an object is in for as long as it lives, as that of its namespace. */
export const forLife = (): undefined => undefined

/** Objects of a kind by whatever a controller looks them up by, kept up to date: a list of all would cost too much. */
export class ObjectGroups<Name extends keyof Kinds> implements Disposable {
  readonly #store: ControllerParts['store']
  readonly #resource: Name
  readonly #grouping: Grouping<Kinds[Name]>
  /** Keys only: the store has the objects, and a change of one that stays where it is costs nothing here. */
  readonly #groups = new Map<string, Set<string>>()
  readonly #subscription: Disposable

  constructor(store: ControllerParts['store'], resource: Name, grouping: Grouping<Kinds[Name]>) {
    this.#store = store
    this.#resource = resource
    this.#grouping = grouping
    for (const object of listObjects(store, resource)) this.#insert(object)
    this.#subscription = store.subscribe(({ type, ...event }) => {
      const object = readAs<Kinds[Name]>(event.object)
      const previous = readAs<Kinds[Name] | undefined>(event.previous)
      if (type === 'MODIFIED' && previous !== undefined && grouping.by(object) === grouping.by(previous)) return
      if (previous !== undefined) this.#remove(previous, type === 'DELETED' ? undefined : object)
      if (type !== 'DELETED') this.#insert(object)
    }, resource)
  }

  /** In no order that means anything. */
  in(group: string): Kinds[Name][] {
    const keys = this.#groups.get(group)
    return keys === undefined ? [] : [...keys].flatMap((key) => getObject(this.#store, this.#resource, key) ?? [])
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  #insert(object: Kinds[Name]): void {
    for (const name of this.#grouping.groupsOf(object)) {
      let group = this.#groups.get(name)
      if (group === undefined) this.#groups.set(name, (group = new Set()))
      group.add(keyOf(object.metadata))
    }
  }

  #remove(object: Kinds[Name], next: Kinds[Name] | undefined): void {
    const kept = next === undefined ? [] : this.#grouping.groupsOf(next)
    for (const name of this.#grouping.groupsOf(object)) {
      if (kept.includes(name)) continue
      const group = this.#groups.get(name)
      group?.delete(keyOf(object.metadata))
      if (group?.size === 0) this.#groups.delete(name)
    }
  }
}
