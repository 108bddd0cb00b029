import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseCLI, startVitest } from 'vitest/node'
import { buildBinaries, BuildError, GoMissingError } from './cluster/build.ts'
import { missingForContainers } from './cluster/kubelet/requirements.ts'
import type { Target } from './cluster/recipes.ts'
import { isContinuousIntegration } from './continuous-integration.ts'
import { renderTally, type Tally, TallyReporter } from './reporter.ts'

// `make test`: builds the test cluster where that is possible, runs everything, and ends with a line that counts it.

const realTests = 'test/real'
/** Those need Helm, and a kubelet where pods can run. */
const installTests = 'install'
const nothing: Tally = { passed: 0, failed: 0, skipped: 0 }

interface Outcome {
  readonly tally: Tally
  readonly exitCode: number
  readonly notice?: string
}

async function run(args: readonly string[]): Promise<Outcome> {
  const { filter: filters, options } = parseCLI(['vitest', 'run', ...args])
  let leftOut: string | undefined
  const projects = [options.project ?? []].flat()
  if (mayRunRealTests(filters, projects)) {
    try {
      await buildBinaries(await targetsOf(filters))
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      if (!(error instanceof GoMissingError) || isContinuousIntegration()) return failedBefore(error.message)
      leftOut = error.message
    }
  }
  const reporter = new TallyReporter()
  process.exitCode = 0
  await startVitest(filters, {
    ...options,
    watch: false,
    reporters: ['default', reporter],
    project: leftOut === undefined ? projects : [...projects, '!real'],
  })
  const counted = reporter.tally ?? nothing
  const nothingRan = counted.passed + counted.failed === 0
  const failed = process.exitCode !== 0 || counted.failed > 0 || nothingRan
  // What goes wrong around the tests, as in a global setup, is none of them; the count must not hide it.
  const tally = failed ? { ...counted, failed: Math.max(1, counted.failed) } : counted
  const notices = [
    ...(leftOut === undefined ? [] : [`left out: the tests on a real Kubernetes (${realTests}); ${leftOut}`]),
    ...(nothingRan ? ['no test ran to its end, which counts as a failure'] : []),
  ]
  return { tally, exitCode: failed ? 1 : 0, ...(notices.length === 0 ? {} : { notice: notices.join('\n') }) }
}

function failedBefore(notice: string): Outcome {
  return { tally: { ...nothing, failed: 1 }, exitCode: 1, notice }
}

/** Vitest takes a filter as part of a path: without the files that need it, there is no need to build a cluster. */
function mayRunRealTests(filters: readonly string[], projects: readonly string[]): boolean {
  if (projects.length > 0 && !projects.includes('real')) return false
  return runs(filters, '')
}

/** What the tests that are asked for need, all of it at once: one build of several targets shares work. */
async function targetsOf(filters: readonly string[]): Promise<Target[]> {
  if (!runs(filters, installTests)) return ['default']
  return (await missingForContainers()).length === 0 ? ['default', 'helm', 'kubelet'] : ['default', 'helm']
}

/** Whether one of the real tests whose names begin like that is asked for. */
function runs(filters: readonly string[], beginning: string): boolean {
  const folder = join(import.meta.dirname, '..', realTests)
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = all.filter((file) => file.endsWith('.test.ts') && file.startsWith(beginning))
  return filters.length === 0 || files.some((file) => filters.some((filter) => join(folder, file).includes(filter)))
}

const { tally, exitCode, notice } = await run(process.argv.slice(2))
if (notice !== undefined) console.log(notice)
console.log(renderTally(tally))
process.exit(exitCode)
