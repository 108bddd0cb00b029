import type { Method } from '../../src/kube/client/transport.ts'
import { unlessAborted } from '../../src/kube/single-flight.ts'

/** Requests of Lifeboat, by what is in them. */
export interface RequestPattern {
  readonly method: Method
  /** The whole path. */
  readonly path: string
  /** These are in the query. */
  readonly query?: readonly string[]
}

/** Before it reaches the API server, or on its way back. */
export type Direction = 'request' | 'answer'

export interface Roadblock {
  /** How many have come here. */
  count(): number
  /** They pass, and so do all that come later. */
  letGo(): void
}

export interface PassingRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly signal?: AbortSignal | undefined
}

/** Lies between Lifeboat and the API server. A story holds up on it what a busy machine or network would, at its moment. */
export class Road {
  readonly #blocks = new Set<Block>()

  block(pattern: RequestPattern, direction: Direction): Roadblock {
    const block = new Block(pattern, direction)
    this.#blocks.add(block)
    return { count: () => block.count, letGo: () => this.#lift(block) }
  }

  async pass(request: PassingRequest, direction: Direction): Promise<void> {
    for (const block of this.#blocks) if (block.stops(request, direction)) await block.wait(request.signal)
  }

  #lift(block: Block): void {
    this.#blocks.delete(block)
    block.lift()
  }
}

class Block {
  readonly #pattern: RequestPattern
  readonly #direction: Direction
  readonly #lifted = Promise.withResolvers<void>()
  count = 0

  constructor(pattern: RequestPattern, direction: Direction) {
    this.#pattern = pattern
    this.#direction = direction
  }

  stops({ method, path, query }: PassingRequest, direction: Direction): boolean {
    const wanted = this.#pattern
    return (
      direction === this.#direction &&
      method === wanted.method &&
      path === wanted.path &&
      (wanted.query ?? []).every((part) => decodeURIComponent(query.toString()).includes(part))
    )
  }

  async wait(signal: AbortSignal | undefined): Promise<void> {
    this.count++
    if (signal === undefined) return this.#lifted.promise
    return unlessAborted(this.#lifted.promise, signal)
  }

  lift(): void {
    this.#lifted.resolve()
  }
}
