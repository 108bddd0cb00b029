import type { FileCost, Tally } from './ledger.ts'

// What a run of the tests ends with.

const shownMax = 20
/** Of what failed and passed when it was run alone so much may be; more is a fault of the tests, or of the product. */
const flakyMax = 2
const errorMax = 300

/** A test that failed, and with what. */
export interface Trouble {
  readonly name: string
  readonly error: string
}

export interface Run {
  readonly tally: Tally
  readonly costs: readonly FileCost[]
  /** What failed, and passed when it was run once more, alone. */
  readonly flaky: readonly Trouble[]
  /** What failed, however often it was run. */
  readonly failed: readonly Trouble[]
  /** What went wrong around the tests. */
  readonly problems: readonly string[]
}

export function closeRun(run: Run): { lines: readonly string[]; exitCode: number } {
  const { tally, costs, flaky, failed, problems } = run
  const found = [
    ...problems,
    ...(tally.passed + tally.failed === 0 ? ['no test ran to its end, which counts as a failure'] : []),
    ...(flaky.length > flakyMax ? [`${flaky.length} are flaky, and ${flakyMax} at most may be`] : []),
  ]
  // What goes wrong around the tests, as in a global setup, is none of them; the count must not hide it.
  const counted = found.length > 0 ? { ...tally, failed: Math.max(1, tally.failed) } : tally
  const lines = [
    ...renderSlowest(costs),
    ...flaky.flatMap((trouble) => renderTrouble('flaky', trouble)),
    ...failed.flatMap((trouble) => renderTrouble('failed', trouble)),
    ...found,
    renderTally(counted),
  ]
  return { lines, exitCode: counted.failed > 0 ? 1 : 0 }
}

/** Of what is thousands of lines above, enough to know where to look, and often enough to know why. */
function renderTrouble(kind: 'flaky' | 'failed', { name, error }: Trouble): string[] {
  const [first = ''] = error.split('\n')
  return [`${kind}: ${name}`, `  ${first.slice(0, errorMax)}`]
}

function renderTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The slowest files, the slowest first, and how much of each was waiting for something else. */
function renderSlowest(costs: readonly FileCost[]): string[] {
  const slowest = costs.toSorted((one, other) => other.wallMs - one.wallMs).slice(0, shownMax)
  if (slowest.length === 0) return []
  return [
    `the ${slowest.length} slowest of ${costs.length} files, and how much of each was waiting:`,
    ...slowest.map((cost) => `${seconds(cost.wallMs)}  ${waiting(cost)}  ${cost.file}`),
  ]
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9)
}

/** Node compiles and collects garbage on other cores, so a file may compute longer than it takes. */
function waiting({ wallMs, cpuMs }: FileCost): string {
  const share = wallMs === 0 ? 0 : Math.max(0, 1 - cpuMs / wallMs)
  return `${Math.round(share * 100)} %`.padStart(5)
}
