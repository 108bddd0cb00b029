/** A place in the queue; `leave` gives it up from anywhere in the middle, at the same cost as from the front. */
export interface FifoPlace {
  /** False when it was taken or given up before. */
  leave(): boolean
}

type Link<T> = { readonly item: T; before: Link<T> | undefined; after: Link<T> | undefined; queued: boolean }

/** First in, first out. Linked, because waiters leave from the middle and an array would be searched for each. */
export class Fifo<T> {
  #first: Link<T> | undefined
  #last: Link<T> | undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: T): FifoPlace {
    const link: Link<T> = { item, before: this.#last, after: undefined, queued: true }
    if (this.#last === undefined) this.#first = link
    else this.#last.after = link
    this.#last = link
    this.#length++
    return { leave: () => this.#unlink(link) }
  }

  shift(): T | undefined {
    const link = this.#first
    if (link === undefined) return undefined
    this.#unlink(link)
    return link.item
  }

  #unlink(link: Link<T>): boolean {
    if (!link.queued) return false
    link.queued = false
    this.#length--
    if (link.before === undefined) this.#first = link.after
    else link.before.after = link.after
    if (link.after === undefined) this.#last = link.before
    else link.after.before = link.before
    return true
  }
}
