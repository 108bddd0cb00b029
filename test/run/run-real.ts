import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseCLI, type Vitest } from 'vitest/node'
import { buildProgram } from '../../scripts/bundle.ts'
import { buildBinaries, BuildError } from '../cluster/build.ts'
import { startCluster } from '../cluster/cluster.ts'
import { bundledVariable } from '../cluster/lifeboat.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import type { Target } from '../cluster/recipes.ts'
import { shareCluster } from '../real/shared-clusters.ts'
import { runTests } from './run-tests.ts'

const project = 'real'
/** Those need Helm, and a kubelet where pods can run. */
const installTests = /^(install|readme)/
/** Those need the descheduler of kubernetes-sigs. */
const parityTests = /^descheduler-parity/

/** What the tests that are asked for need, all of it at once: one build of several targets shares work. */
async function targetsOf(args: readonly string[]): Promise<Target[]> {
  const targets: Target[] = ['default']
  if (asksFor(parityTests, args)) targets.push('descheduler')
  if (!asksFor(installTests, args)) return targets
  return (await missingForContainers()).length === 0 ? [...targets, 'helm', 'kubelet'] : [...targets, 'helm']
}

/** Vitest takes a filter as part of a path. */
function asksFor(tests: RegExp, args: readonly string[]): boolean {
  const { filter: filters } = parseCLI(['vitest', 'run', ...args])
  const folder = join(import.meta.dirname, '..', 'real')
  const files = readdirSync(folder).filter((file) => tests.test(file))
  return filters.length === 0 || files.some((file) => filters.some((filter) => join(folder, file).includes(filter)))
}

/** What failed may have left its cluster in any state. */
async function giveNewCluster(vitest: Vitest): Promise<AsyncDisposable> {
  const cluster = await startCluster()
  const { maxWorkers } = vitest.getProjectByName(project).config
  vitest.getProjectByName(project).provide(
    'clusters',
    Array.from({ length: maxWorkers }, () => shareCluster(cluster)),
  )
  return cluster
}

/** Runs what the arguments ask for, or all of it, and returns the exit code. The release of Kubernetes is in the environment. */
export async function runReal(args: readonly string[]): Promise<number> {
  try {
    await buildBinaries(await targetsOf(args))
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(error.message)
    return 1
  }
  // Inherited by the workers, which start it some two hundred times.
  const program = join(import.meta.dirname, '..', '..', 'dist', 'test-program', 'lifeboat.mjs')
  await buildProgram(program)
  process.env[bundledVariable] = program
  return runTests({ args, projects: [project], beforeAgain: giveNewCluster })
}
