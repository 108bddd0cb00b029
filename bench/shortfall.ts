/** How much was missing of what applications want, over time. */
export interface Missing {
  /** One pod that is missing for one second. */
  readonly podSeconds: number
  /** The least that any of the applications ever had. */
  readonly lowest: number
}

/** Adds up what is missing, from the moments at which something changed. */
export class Shortfall {
  readonly #wanted: number
  readonly #available = new Map<string, number>()
  #missing = 0
  #podMs = 0
  #lowest: number
  #atMs: number

  /** `wanted` is what each of the applications wants. */
  constructor(wanted: number, atMs: number) {
    this.#wanted = wanted
    this.#lowest = wanted
    this.#atMs = atMs
  }

  /** An application that was never named has all that it wants. */
  set(application: string, available: number, atMs: number): void {
    this.#advance(atMs)
    this.#missing += this.#missingOf(available) - this.#missingOf(this.#available.get(application) ?? this.#wanted)
    this.#available.set(application, available)
    this.#lowest = Math.min(this.#lowest, available)
  }

  until(atMs: number): Missing {
    this.#advance(atMs)
    return { podSeconds: this.#podMs / 1_000, lowest: this.#lowest }
  }

  #advance(atMs: number): void {
    this.#podMs += this.#missing * (atMs - this.#atMs)
    this.#atMs = atMs
  }

  #missingOf(available: number): number {
    return Math.max(0, this.#wanted - available)
  }
}
