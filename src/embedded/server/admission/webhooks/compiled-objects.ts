import type { Store, Stored } from '../../store.ts'

/**
 * What was made of all objects of one kind, in the order of their names. Made again only when one of them changes, and
 * then only of that one: compiling expressions is slow, and every write of the cluster asks for the result.
 */
export class CompiledObjects<T> {
  readonly #store: Pick<Store, 'list'>
  readonly #resource: string
  readonly #compile: (object: Stored) => T
  readonly #byObject = new WeakMap<Stored, T>()
  #all: readonly T[] | undefined

  constructor(store: Pick<Store, 'list' | 'subscribe'>, resource: string, compile: (object: Stored) => T) {
    this.#store = store
    this.#resource = resource
    this.#compile = compile
    // For as long as the store lives.
    store.subscribe(() => (this.#all = undefined), resource)
  }

  all(): readonly T[] {
    this.#all ??= this.#store.list(this.#resource).map((object) => this.#compiled(object))
    return this.#all
  }

  #compiled(object: Stored): T {
    let compiled = this.#byObject.get(object)
    if (compiled === undefined) {
      compiled = this.#compile(object)
      this.#byObject.set(object, compiled)
    }
    return compiled
  }
}
