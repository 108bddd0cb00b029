const rateDefault = 0.1

/** Nodes of one zone that wait for their NoExecute taint, which one gets at a time. */
export class TaintQueue {
  readonly #waiting = new Set<string>()
  /** Nodes a second; 0 for none. */
  #rate = rateDefault
  #freeAtMs = 0

  add(node: string): void {
    this.#waiting.add(node)
  }

  remove(node: string): void {
    this.#waiting.delete(node)
  }

  /** The next node whose turn it is by now. */
  take(nowMs: number): string | undefined {
    const [node] = this.#waiting
    if (node === undefined || !this.#isFree(nowMs)) return undefined
    this.#waiting.delete(node)
    this.#freeAtMs = nowMs + this.#intervalMs()
    return node
  }

  nextAtMs(): number | undefined {
    return this.#waiting.size === 0 || this.#rate === 0 ? undefined : this.#freeAtMs
  }

  /** A new rate begins with a pause where the one before had to wait: a change of the rate lets no node pass early. */
  setRate(rate: number, nowMs: number): void {
    if (rate === this.#rate) return
    const hadToWait = !this.#isFree(nowMs)
    this.#rate = rate
    this.#freeAtMs = hadToWait && rate > 0 ? nowMs + this.#intervalMs() : nowMs
  }

  #isFree(nowMs: number): boolean {
    return this.#rate > 0 && nowMs >= this.#freeAtMs
  }

  #intervalMs(): number {
    return 1_000 / this.#rate
  }
}
