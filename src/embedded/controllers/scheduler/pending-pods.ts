import { Fifo } from '../../../runtime/fifo.ts'

/** Pods that wait for a node: the more important first, among equals who came first. */
export class PendingPods {
  /** Priorities, the highest first, each with its line. There are few priorities and many pods. */
  readonly #lines: { readonly priority: number; readonly keys: Fifo<string> }[] = []
  /** By key, the priority with which it waits. What a line holds beside this is left over from before. */
  readonly #waiting = new Map<string, number>()

  get size(): number {
    return this.#waiting.size
  }

  add(key: string, priority: number): void {
    if (this.#waiting.get(key) === priority) return
    this.#waiting.set(key, priority)
    let index = this.#lines.findIndex((line) => line.priority <= priority)
    if (index === -1) index = this.#lines.length
    let line = this.#lines[index]
    if (line?.priority !== priority) {
      line = { priority, keys: new Fifo() }
      this.#lines.splice(index, 0, line)
    }
    line.keys.push(key)
  }

  remove(key: string): void {
    this.#waiting.delete(key)
  }

  next(): string | undefined {
    for (let line = this.#lines[0]; line !== undefined; line = this.#lines[0]) {
      const key = line.keys.shift()
      if (key === undefined) this.#lines.shift()
      else if (this.#waiting.get(key) === line.priority) {
        this.#waiting.delete(key)
        return key
      }
    }
    return undefined
  }
}
