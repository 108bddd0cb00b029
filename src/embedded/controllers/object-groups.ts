import { keyOf, type Stored } from '../store.ts'
import type { ControllerParts } from './controller.ts'
import type { Kinds } from './typed-store.ts'

/** Objects of a kind by whatever somebody looks them up by, kept up to date: a list of all would cost too much. */
export class ObjectGroups<Name extends keyof Kinds> implements Disposable {
  readonly #groups = new Map<string, Map<string, Kinds[Name]>>()
  readonly #groupsOf: (object: Kinds[Name]) => readonly string[]
  readonly #subscription: Disposable

  constructor(store: ControllerParts['store'], resource: Name, groupsOf: (object: Kinds[Name]) => readonly string[]) {
    this.#groupsOf = groupsOf
    for (const object of store.list(resource)) this.#insert(object)
    this.#subscription = store.subscribe(({ type, object, previous }) => {
      if (previous !== undefined) this.#remove(previous, type === 'DELETED' ? undefined : object)
      if (type !== 'DELETED') this.#insert(object)
    }, resource)
  }

  /** In no order that means anything. */
  in(group: string): Kinds[Name][] {
    return [...(this.#groups.get(group)?.values() ?? [])]
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  #insert(object: Stored): void {
    const typed = object as unknown as Kinds[Name]
    for (const name of this.#groupsOf(typed)) {
      let group = this.#groups.get(name)
      if (group === undefined) this.#groups.set(name, (group = new Map()))
      group.set(keyOf(object.metadata), typed)
    }
  }

  #remove(object: Stored, next: Stored | undefined): void {
    const kept = next === undefined ? [] : this.#groupsOf(next)
    for (const name of this.#groupsOf(object)) {
      if (kept.includes(name)) continue
      const group = this.#groups.get(name)
      group?.delete(keyOf(object.metadata))
      if (group?.size === 0) this.#groups.delete(name)
    }
  }
}
