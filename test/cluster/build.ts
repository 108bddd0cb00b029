import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Progress, stderrProgress } from './progress.ts'
import {
  binaryPath,
  buildFlags,
  goVersion,
  isTarget,
  type Recipe,
  type RecipeOptions,
  recipesFolder,
  type Target,
  targets,
} from './recipes.ts'

/** Something of the recipe could not be built; the message is all that a reader needs. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
}

/** There is no Go, or only one that is too old: the one failure that callers may go on without. */
export class GoMissingError extends BuildError {
  constructor(found: string) {
    super(
      `building the test cluster needs Go ${goVersion} or newer, and ${found}; everything else works without it (install it from https://go.dev/dl/)`,
    )
  }
}

export interface BuildOptions extends Partial<RecipeOptions> {
  readonly progress?: Progress
}

/** The path of each binary, by name. */
export type Binaries = ReadonlyMap<string, string>

/** The binaries of a target as far as they are built already; undefined if one is missing. */
export async function findBinaries(target: Target, options: BuildOptions = {}): Promise<Binaries | undefined> {
  const paths = await pathsOf(target, recipeOptionsOf(options))
  const present = await Promise.all(paths.values().map(exists))
  return present.every(Boolean) ? paths : undefined
}

/** Builds what is missing of a target into the user's cache folder, where other checkouts find it too. */
export async function buildBinaries(target: Target, options: BuildOptions = {}): Promise<Binaries> {
  const recipeOptions = recipeOptionsOf(options)
  const paths = await pathsOf(target, recipeOptions)
  const found = await Promise.all(paths.values().map(exists))
  const missing = targets[target].filter((_, index) => found[index] !== true)
  if (missing.length === 0) return paths

  const progress = options.progress ?? stderrProgress()
  await checkGo(recipeOptions)
  for (const folder of new Set(missing.map((recipe) => recipe.folder))) {
    const recipes = missing.filter((recipe) => recipe.folder === folder)
    await progress.step(`downloading the Go modules of ${folder}`, () => download(folder, recipes, recipeOptions))
  }
  for (const [index, recipe] of missing.entries()) {
    const path = await binaryPath(recipe, recipeOptions)
    // Someone else may have built it by now: another checkout, or another run in this one.
    if (await exists(path)) continue
    const note = target === 'default' ? '; the first time takes some 10 minutes' : ''
    const what = `building ${recipe.binary} (${index + 1} of ${missing.length}${note})`
    await progress.step(what, () => buildBinary(recipe, path, recipeOptions))
  }
  return paths
}

function recipeOptionsOf(options: BuildOptions): RecipeOptions {
  return {
    recipesFolder: options.recipesFolder ?? recipesFolder,
    environment: options.environment ?? process.env,
  }
}

async function pathsOf(target: Target, options: RecipeOptions): Promise<Map<string, string>> {
  const entries = targets[target].map(async (recipe) => [recipe.binary, await binaryPath(recipe, options)] as const)
  return new Map(await Promise.all(entries))
}

/** Asks Go itself, in a recipe's folder: that is where a Go which fetches newer ones for itself does so. */
async function checkGo(options: RecipeOptions): Promise<void> {
  const result = await runGo(['env', 'GOVERSION'], join(options.recipesFolder, 'kubernetes'), options)
  if (result.kind === 'absent') throw new GoMissingError('there is no go on the PATH')
  if (result.kind === 'failed') throw new GoMissingError(`the go on the PATH says: ${lastLines(result.output, 3)}`)
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(result.output.trim()) ?? []
  const [wantedMajor, wantedMinor] = goVersion.split('.')
  // An unnumbered development version ("devel go1.28-...") is left to go build to judge.
  if (major === undefined || minor === undefined) return
  if (Number(major) * 1_000 + Number(minor) < Number(wantedMajor) * 1_000 + Number(wantedMinor)) {
    throw new GoMissingError(`the one on the PATH is ${major}.${minor}`)
  }
}

/** Listing all dependencies makes Go fetch exactly the modules that the build will read, and no more. */
async function download(folder: string, recipes: readonly Recipe[], options: RecipeOptions): Promise<void> {
  const packages = recipes.map((recipe) => recipe.package)
  const flags = ['list', '-deps', '-mod=readonly', '-f', '{{/* nothing */}}']
  const result = await runGo([...flags, ...packages], join(options.recipesFolder, folder), options)
  if (result.kind !== 'done') throw failureOf(`the download of the Go modules of ${folder}`, result)
}

async function buildBinary(recipe: Recipe, path: string, options: RecipeOptions): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  await removeLeftovers(folder)
  // Built beside its place and then renamed: whoever looks sees the whole binary or none.
  const building = await mkdtemp(join(folder, buildingPrefix))
  try {
    const built = join(building, recipe.binary)
    const flags = ['build', ...buildFlags, '-ldflags', recipe.linkerFlags, '-o', built]
    const result = await runGo([...flags, recipe.package], join(options.recipesFolder, recipe.folder), options)
    if (result.kind !== 'done') throw failureOf(`the build of ${recipe.binary}`, result)
    await rename(built, path)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}

const buildingPrefix = '.building-'
const leftoverAgeMs = 24 * 60 * 60 * 1_000

/** A build that was killed leaves its folder behind; after a day nobody can still be working in it. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(buildingPrefix)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs > leftoverAgeMs) await rm(path, { recursive: true, force: true })
  }
}

type GoResult = { kind: 'done'; output: string } | { kind: 'failed'; output: string } | { kind: 'absent' }

async function runGo(args: readonly string[], folder: string, options: RecipeOptions): Promise<GoResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GoResult>()
  const child = spawn('go', args, {
    cwd: folder,
    // A go.work file above the checkout would replace the recipe's own choice of modules.
    env: { ...options.environment, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => void (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => void (output += data.toString()))
  child.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') resolve({ kind: 'absent' })
    else reject(error)
  })
  child.once('close', (code) => resolve({ kind: code === 0 ? 'done' : 'failed', output }))
  return promise
}

function failureOf(step: string, result: Exclude<GoResult, { kind: 'done' }>): BuildError {
  return new BuildError(
    `${step} failed:\n${result.kind === 'failed' ? lastLines(result.output, 20) : 'go is no longer on the PATH'}`,
  )
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

if (import.meta.main) {
  const target = process.argv[2] ?? 'default'
  if (!isTarget(target)) {
    console.error(`there is no ${target} to build; one of: ${Object.keys(targets).join(', ')}`)
    process.exit(2)
  }
  try {
    for (const path of (await buildBinaries(target)).values()) console.log(path)
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
