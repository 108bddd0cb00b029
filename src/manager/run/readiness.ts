/** What has to be there before Lifeboat can do its work. */
export class Readiness {
  readonly #missing: Map<string, string>
  readonly #complete = Promise.withResolvers<void>()

  /** By what is waited for, in words: `the cache of evacuations`. */
  constructor(parts: readonly string[]) {
    this.#missing = new Map(parts.map((part) => [part, 'not there yet']))
    this.#settle()
  }

  /** Resolves once everything was there. */
  complete(): Promise<void> {
    return this.#complete.promise
  }

  /** Why a part still lacks, as of the last try. */
  note(part: string, why: string): void {
    if (this.#missing.has(part)) this.#missing.set(part, why)
  }

  fulfil(part: string): void {
    this.#missing.delete(part)
    this.#settle()
  }

  /** One line a part, but for the one that does not count; none: ready. */
  missing(except?: string): string[] {
    return [...this.#missing].filter(([part]) => part !== except).map(([part, why]) => `${part}: ${why}`)
  }

  #settle(): void {
    if (this.#missing.size === 0) this.#complete.resolve()
  }
}
