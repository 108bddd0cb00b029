import { hash } from 'node:crypto'

/** Keeps one object of those that look the same, for as long as anything else holds it. */
export class Pool<Value extends object> {
  readonly #byKey = new Map<string, WeakRef<Value>>()
  readonly #keys = new WeakMap<Value, string>()
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    // Another may be there under the key by now.
    if (this.#byKey.get(key)?.deref() === undefined) this.#byKey.delete(key)
  })

  get size(): number {
    return this.#byKey.size
  }

  /** `parts` is all that the value is made of. */
  share(parts: unknown, build: () => Value): Value {
    const key = hash('sha256', JSON.stringify(parts), 'base64')
    const known = this.#byKey.get(key)?.deref()
    if (known !== undefined) return known
    const value = build()
    this.#byKey.set(key, new WeakRef(value))
    this.#keys.set(value, key)
    this.#forgotten.register(value, key)
    return value
  }

  /** The same for the same object, and for no other. */
  keyOf(value: Value): string | undefined {
    return this.#keys.get(value)
  }
}
