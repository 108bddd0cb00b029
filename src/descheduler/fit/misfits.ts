/** Why nodes do not fit, by position. A node that fits, or was not looked at, has none. */
export interface Misfits {
  get(position: number): string | undefined
  set(position: number, words: string | undefined): void
}

/** For a look at a few of many nodes. */
export class SparseMisfits implements Misfits {
  readonly #words = new Map<number, string>()

  get(position: number): string | undefined {
    return this.#words.get(position)
  }

  set(position: number, words: string | undefined): void {
    if (words === undefined) this.#words.delete(position)
    else this.#words.set(position, words)
  }
}

/** For a look at most of them: two bytes a node. */
export class DenseMisfits implements Misfits {
  readonly #codes: Uint16Array
  /** Few are different. By code; 0 stands for none. */
  readonly #words: (string | undefined)[] = [undefined]
  readonly #codesByWords = new Map<string | undefined, number>([[undefined, 0]])
  /** Nodes that follow each other are often alike. */
  #last: { readonly words: string | undefined; readonly code: number } = { words: undefined, code: 0 }

  constructor(count: number) {
    this.#codes = new Uint16Array(count)
  }

  get(position: number): string | undefined {
    return this.#words[this.#codes[position] ?? 0]
  }

  set(position: number, words: string | undefined): void {
    if (words !== this.#last.words) this.#last = { words, code: this.#codeOf(words) }
    this.#codes[position] = this.#last.code
  }

  #codeOf(words: string | undefined): number {
    let code = this.#codesByWords.get(words)
    if (code === undefined) {
      code = this.#words.push(words) - 1
      this.#codesByWords.set(words, code)
    }
    return code
  }
}
