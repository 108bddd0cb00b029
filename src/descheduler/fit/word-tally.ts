/** How often each of a few words was said. The same words mostly come many times in a row. */
export class WordTally {
  readonly #counts = new Map<string, number>()
  #words: string | undefined
  #run = 0

  add(words: string, change: 1 | -1): void {
    if (words !== this.#words) {
      this.#endRun()
      this.#words = words
    }
    this.#run += change
  }

  counts(): ReadonlyMap<string, number> {
    this.#endRun()
    return this.#counts
  }

  #endRun(): void {
    if (this.#words === undefined || this.#run === 0) return
    this.#counts.set(this.#words, (this.#counts.get(this.#words) ?? 0) + this.#run)
    this.#run = 0
  }
}
