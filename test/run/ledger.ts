import type { Reporter, TestCase, TestModule } from 'vitest/node'

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What a file cost, in milliseconds. */
export interface FileCost {
  readonly file: string
  readonly wallMs: number
  /** Of its worker; what clusters and other processes computed is not in it. */
  readonly cpuMs: number
}

/** Something that failed and can be run again. */
export type Failure = TestCase | TestModule

type State = 'passed' | 'failed' | 'skipped'

/** Counts what ran. Whatever makes the run fail is counted as failed, so that "0 failed" can be believed. */
export class Ledger implements Reporter {
  readonly #tests = new Map<string, State>()
  readonly #brokenFiles = new Set<string>()
  readonly #costs = new Map<string, FileCost>()
  #unhandled = 0
  #failures: Failure[] = []

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#unhandled += unhandledErrors.length
    this.#failures = []
    for (const module of modules) this.#enter(module)
  }

  /** Of the last run: a file as a whole if something around its tests failed. */
  get failures(): readonly Failure[] {
    return this.#failures
  }

  get tally(): Tally {
    const count = (wanted: State) =>
      this.#tests
        .values()
        .filter((state) => state === wanted)
        .toArray().length
    const failed = count('failed') + this.#brokenFiles.size + this.#unhandled
    return { passed: count('passed'), failed, skipped: count('skipped') }
  }

  get costs(): readonly FileCost[] {
    return [...this.#costs.values()]
  }

  #enter(module: TestModule): void {
    const isBroken = isBrokenAround(module)
    if (isBroken) this.#brokenFiles.add(module.id)
    else this.#brokenFiles.delete(module.id)
    for (const test of module.children.allTests()) {
      const state = stateOf(test)
      // Where one test of a file is run again, the others are skipped.
      if (state === 'skipped' && this.#tests.has(test.id)) continue
      this.#tests.set(test.id, state)
      if (state === 'failed' && !isBroken) this.#failures.push(test)
    }
    if (isBroken) this.#failures.push(module)
    if (this.#costs.has(module.id)) return
    const file = `${module.project.name} ${module.relativeModuleId}`
    const { duration: wallMs } = module.diagnostic()
    this.#costs.set(module.id, { file, wallMs, cpuMs: module.meta().cpuMs ?? 0 })
  }
}

/** A file that does not load has no tests to fail, a suite whose beforeAll fails skips them all. */
function isBrokenAround(module: TestModule): boolean {
  if (module.children.allSuites().some((suite) => suite.errors().length > 0)) return true
  // What a story would have compared counts as left over when it fails before: that is the failure of the story.
  const hasFailed = module.children.allTests().some((test) => stateOf(test) === 'failed')
  return module.errors().some(({ message }) => !hasFailed || !message.startsWith('Obsolete snapshots found'))
}

/** A test that is still pending was cut off. */
function stateOf(test: TestCase): State {
  const { state } = test.result()
  return state === 'pending' ? 'failed' : state
}
