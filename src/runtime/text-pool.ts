const heldMax = 50_000

/** Keeps one text of those that are equal: what is parsed with each object, such as the name of a node, is in memory once. */
export class TextPool {
  readonly #held = new Map<string, string>()
  readonly #max: number

  constructor(max = heldMax) {
    this.#max = max
  }

  get size(): number {
    return this.#held.size
  }

  share(text: string): string
  share(text: string | undefined): string | undefined
  share(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const known = this.#held.get(text)
    if (known !== undefined) return known
    // What is shared stays shared by those who have it; only the next ones cost a copy more.
    if (this.#held.size >= this.#max) this.#held.clear()
    this.#held.set(text, text)
    return text
  }
}
