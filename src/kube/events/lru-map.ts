import { assert } from '../../runtime/assert.ts'

/** Remembers so many values; the one not asked for the longest makes room for a new one. */
export class LruMap<Value> {
  readonly #max: number
  /** A Map keeps the order of insertion: taking an entry out and putting it back makes it the youngest. */
  readonly #values = new Map<string, Value>()

  constructor(max: number) {
    assert(Number.isInteger(max) && max >= 1, 'a map remembers at least one value')
    this.#max = max
  }

  get size(): number {
    return this.#values.size
  }

  /** The value of the key, made now if there is none. */
  getOrMake(key: string, make: () => Value): Value {
    const known = this.#values.get(key)
    const value = known ?? make()
    if (known !== undefined) this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#max) {
      const [eldest] = this.#values.keys()
      if (eldest !== undefined) this.#values.delete(eldest)
    }
    return value
  }
}
