import type { Reporter, TestModule } from 'vitest/node'

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Counts what ran. Whatever makes the run fail is counted as failed, so that "0 failed" can be believed. */
export class TallyReporter implements Reporter {
  #tally: Tally | undefined

  /** Undefined if the run did not get to its end. */
  get tally(): Tally | undefined {
    return this.#tally
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      // A file that does not load has no tests to fail, a suite whose beforeAll fails skips them all.
      if (module.errors().length > 0) tally.failed++
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) tally.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') tally.passed++
        else if (state === 'skipped') tally.skipped++
        // A test that is still pending was cut off.
        else tally.failed++
      }
    }
    this.#tally = tally
  }
}

export function renderTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
