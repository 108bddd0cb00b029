import { assert } from './assert.ts'
import { Fifo, type FifoPlace } from './fifo.ts'

export interface FairQueueOptions {
  /** How many run at once. */
  readonly max: number
  /**
   * No group may run more than there are places left for the others: one whose work is slow gets half of the places, a
   * second one a quarter, and there is always room for one that is not.
   */
  readonly keepsRoom: boolean
}

/** Work in groups: each group in the order in which it came, the groups in turns, at most so much at once. */
export class FairQueue<T> {
  readonly #options: FairQueueOptions
  /** In the order of their turns. None is empty. */
  readonly #lines = new Map<string, Fifo<T>>()
  readonly #runningOf = new Map<string, number>()
  #running = 0
  #waiting = 0

  constructor(options: FairQueueOptions) {
    assert(Number.isInteger(options.max) && options.max >= 1, 'at least one runs at once')
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  push(group: string, item: T): FifoPlace {
    const line = this.#lines.get(group) ?? new Fifo<T>()
    this.#lines.set(group, line)
    this.#waiting++
    const place = line.push(item)
    return {
      leave: () => {
        const left = place.leave()
        if (left) this.#left(group, line)
        return left
      },
    }
  }

  /** The next that may run. It counts as running until its group is told to be done with it. */
  take(): { readonly group: string; readonly item: T } | undefined {
    for (const [group, line] of this.#lines) {
      if (!this.#mayRun(group)) continue
      const item = line.shift()
      assert(item !== undefined, 'no line is empty')
      // Whose turn it was comes last.
      this.#lines.delete(group)
      this.#lines.set(group, line)
      this.#left(group, line)
      this.#running++
      this.#runningOf.set(group, (this.#runningOf.get(group) ?? 0) + 1)
      return { group, item }
    }
    return undefined
  }

  done(group: string): void {
    const count = this.#runningOf.get(group)
    assert(count !== undefined, 'only what runs is done')
    this.#running--
    if (count === 1) this.#runningOf.delete(group)
    else this.#runningOf.set(group, count - 1)
  }

  /** Forgets what waits. What runs is still to be done with. */
  clear(): void {
    for (const line of this.#lines.values()) while (line.length > 0) line.shift()
    this.#lines.clear()
    this.#waiting = 0
  }

  #mayRun(group: string): boolean {
    const { max, keepsRoom } = this.#options
    const left = max - this.#running
    return left > 0 && (!keepsRoom || (this.#runningOf.get(group) ?? 0) < left)
  }

  #left(group: string, line: Fifo<T>): void {
    this.#waiting--
    if (line.length === 0 && this.#lines.get(group) === line) this.#lines.delete(group)
  }
}
