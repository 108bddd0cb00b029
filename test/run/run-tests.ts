import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVitest, parseCLI, type Vitest } from 'vitest/node'
import { closeRun, type Trouble } from './closing-lines.ts'
import { type Failure, Ledger } from './ledger.ts'

export interface Plan {
  /** As on the command line: parts of paths, and flags of vitest. */
  readonly args: readonly string[]
  readonly projects: readonly string[]
  /** Runs before something that failed is run once more, alone. Without it nothing is. */
  readonly beforeAgain?: (vitest: Vitest) => Promise<AsyncDisposable>
}

/** Runs the tests of some projects, prints what they cost and a line that counts them, and returns the exit code. */
export async function runTests({ args, projects, beforeAgain }: Plan): Promise<number> {
  // Workers and whatever they start find what was compiled before, where `lifeboat` itself keeps it.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const ledger = new Ledger()
  const vitest = await createVitest('test', {
    ...options,
    watch: false,
    project: [...projects],
    reporters: ['default', ledger],
  })
  const problems: string[] = []
  const flaky: Trouble[] = []
  const failed: Trouble[] = []
  try {
    await vitest.start(filter)
    for (const [alone, troubles] of troublesOf(ledger.failures)) {
      const passes = beforeAgain !== undefined && (await passesAlone(vitest, ledger, alone, beforeAgain))
      ;(passes ? flaky : failed).push(...troubles)
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await vitest.close()
  }
  const { lines, exitCode } = closeRun({ tally: ledger.tally, costs: ledger.costs, flaky, failed, problems })
  for (const line of lines) console.log(line)
  return exitCode
}

/** Stories are told each by itself. The tests of other files may build on those before them. */
function againOf(failure: Failure): Failure {
  if (failure.type === 'module' || failure.module.relativeModuleId.startsWith('test/stories/')) return failure
  return failure.module
}

/** By what is run again, with what was wrong the first time: another run forgets it. */
function troublesOf(failures: readonly Failure[]): Map<Failure, Trouble[]> {
  const groups = Map.groupBy(failures, againOf).entries()
  return new Map(
    groups.map(([alone, ofIt]) => [alone, ofIt.map((one) => ({ name: nameOf(one), error: errorOf(one) }))]),
  )
}

async function passesAlone(
  vitest: Vitest,
  ledger: Ledger,
  alone: Failure,
  beforeAgain: NonNullable<Plan['beforeAgain']>,
): Promise<boolean> {
  console.log(`once more, alone: ${nameOf(alone)}`)
  await using _ready = await beforeAgain(vitest)
  await vitest.runTestSpecifications([alone.toTestSpecification()], false)
  return ledger.failures.length === 0
}

function nameOf(failure: Failure): string {
  return failure.type === 'module'
    ? failure.relativeModuleId
    : `${failure.module.relativeModuleId} > ${failure.fullName}`
}

function errorOf(failure: Failure): string {
  const errors =
    failure.type === 'module'
      ? [...failure.errors(), ...failure.children.allSuites().flatMap((suite) => suite.errors())]
      : (failure.result().errors ?? [])
  return errors[0]?.message ?? 'it was cut off'
}
