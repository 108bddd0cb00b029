import type { RandomStream } from '../../../src/runtime/random.ts'

/** Choices from one stream of random numbers. */
export class Dice {
  readonly #stream: RandomStream

  constructor(stream: RandomStream) {
    this.#stream = stream
  }

  chance(share: number): boolean {
    return this.#stream.next() < share
  }

  /** Both ends included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.#stream.next() * (maximum - minimum + 1))
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0]
  }

  some<T>(choices: readonly T[], share: number): readonly T[] {
    return choices.filter(() => this.chance(share))
  }

  /** Parts of an object, or none. */
  maybe<T extends object>(share: number, parts: () => T): Partial<T> {
    return this.chance(share) ? parts() : {}
  }

  /** The same numbers in another order. */
  shuffled(numbers: readonly number[]): readonly number[] {
    const keyed = numbers.map((number) => ({ number, key: this.#stream.next() }))
    return keyed.toSorted((one, other) => one.key - other.key).map(({ number }) => number)
  }
}
