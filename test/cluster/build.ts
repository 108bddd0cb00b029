import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { assert } from '../../src/runtime/assert.ts'
import { type Progress, stderrProgress } from './progress.ts'
import {
  binaryPath,
  buildFlags,
  goVersion,
  isTarget,
  type Recipe,
  type RecipeOptions,
  recipesFolder,
  releaseIn,
  releaseNameIn,
  type Target,
  targets,
} from './recipes.ts'

/** Something of the recipe could not be built; the message is all that a reader needs. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
}

/** There is no Go, or only one that is too old: the one failure that callers may continue without. */
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

/** The binaries of these targets as far as they are built already; undefined if one is missing. */
export async function findBinaries(
  wanted: Target | readonly Target[],
  options: BuildOptions = {},
): Promise<Binaries | undefined> {
  const recipeOptions = recipeOptionsOf(options)
  const places = await placesOf(wanted, recipeOptions)
  return (await missingOf(places)).length === 0 ? pathsOf(places) : undefined
}

/** Builds what is missing of these targets into the user's cache folder, where other checkouts find it too. */
export async function buildBinaries(wanted: Target | readonly Target[], options: BuildOptions = {}): Promise<Binaries> {
  const recipeOptions = recipeOptionsOf(options)
  const places = await placesOf(wanted, recipeOptions)
  const missing = await missingOf(places)
  if (missing.length === 0) return pathsOf(places)

  const progress = options.progress ?? stderrProgress()
  await checkGo(recipeOptions)
  const folders = Map.groupBy(missing, ({ recipe }) => recipe.folder)
  const what = `downloading the Go modules of ${[...folders.keys()].join(', ')}`
  await progress.step(what, () => downloadAll(folders, recipeOptions))
  const note = [wanted].flat().includes('default') ? '; the first time takes some 10 minutes' : ''
  for (const [index, [folder, all]] of [...folders].entries()) {
    // Someone else may have built some by now: another checkout, or another run in this one.
    const left = await missingOf(all)
    if (left.length === 0) continue
    const [first] = left
    const name = left.length === 1 ? first?.recipe.binary : `${left.length} binaries of ${folder}`
    const step = `building ${name} (${index + 1} of ${folders.size}${note})`
    await progress.step(step, () => buildTogether(left, recipeOptions))
  }
  return pathsOf(places)
}

function recipeOptionsOf(options: BuildOptions): RecipeOptions {
  return {
    recipesFolder: options.recipesFolder ?? recipesFolder,
    environment: options.environment ?? process.env,
  }
}

/** A recipe, and the path that its binary has in the cache. */
interface Place {
  readonly recipe: Recipe
  readonly path: string
}

async function placesOf(wanted: Target | readonly Target[], options: RecipeOptions): Promise<Place[]> {
  const all = targets[releaseNameIn(options.environment)]
  const recipes: Recipe[] = [...new Set([wanted].flat())].flatMap((target) => all[target])
  return Promise.all(recipes.map(async (recipe) => ({ recipe, path: await binaryPath(recipe, options) })))
}

function pathsOf(places: readonly Place[]): Binaries {
  return new Map(places.map(({ recipe, path }) => [recipe.binary, path]))
}

async function missingOf(places: readonly Place[]): Promise<Place[]> {
  const found = await Promise.all(places.map(({ path }) => exists(path)))
  return places.filter((_, index) => found[index] !== true)
}

/** Asks Go itself, in a recipe's folder: that is where a Go which fetches newer ones for itself does so. */
async function checkGo(options: RecipeOptions): Promise<void> {
  const result = await runGo(
    ['env', 'GOVERSION'],
    join(options.recipesFolder, releaseIn(options.environment).folder),
    options,
  )
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

/** All at once, because they mostly wait; none still runs when one of them has failed. */
async function downloadAll(folders: ReadonlyMap<string, readonly Place[]>, options: RecipeOptions): Promise<void> {
  const downloads = Array.from(folders, ([folder, places]) => download(folder, places, options))
  await Promise.allSettled(downloads)
  await Promise.all(downloads)
}

/** Listing all dependencies makes Go fetch exactly the modules that the build will read, and no more. */
async function download(folder: string, places: readonly Place[], options: RecipeOptions): Promise<void> {
  const packages = places.map(({ recipe }) => recipe.package)
  const flags = ['list', '-deps', '-mod=readonly', '-f', '{{/* nothing */}}']
  const result = await runGo([...flags, ...packages], join(options.recipesFolder, folder), options)
  if (result.kind !== 'done') throw failureOf(`the download of the Go modules of ${folder}`, result)
}

/** One go build for all binaries of a folder: what they share is loaded once, and while one is linked others compile. */
async function buildTogether(places: readonly Place[], options: RecipeOptions): Promise<void> {
  const [first] = places
  assert(first !== undefined, 'there is something to build')
  const { folder, linkerFlags } = first.recipe
  const cache = dirname(first.path)
  for (const { recipe, path } of places) {
    assert(recipe.folder === folder && recipe.linkerFlags === linkerFlags, 'recipes of a folder share linker flags')
    assert(dirname(path) === cache, 'and so a folder of the cache')
  }
  await mkdir(cache, { recursive: true })
  await removeLeftovers(cache)
  // Built beside its place and then renamed: whoever looks sees the whole binary or none.
  const building = await mkdtemp(join(cache, buildingPrefix))
  try {
    // The slash at the end says that this is a folder, also to a build of one package.
    const flags = ['build', ...buildFlags, '-ldflags', linkerFlags, '-o', `${building}/`]
    const packages = places.map(({ recipe }) => recipe.package)
    const result = await runGo([...flags, ...packages], join(options.recipesFolder, folder), options)
    const names = places.map(({ recipe }) => recipe.binary).join(', ')
    if (result.kind !== 'done') throw failureOf(`the build of ${names}`, result)
    for (const { recipe, path } of places) await rename(join(building, executableName(recipe.package)), path)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}

/** How go build calls the program of a package: after the end of its path that is not a major version. */
function executableName(packagePath: string): string {
  const parts = packagePath.split('/')
  return parts.findLast((part) => !/^v\d+$/.test(part)) ?? packagePath
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
  const names = process.argv.length > 2 ? process.argv.slice(2) : ['default']
  const wanted = names.filter(isTarget)
  const unknown = names.filter((name) => !isTarget(name))
  if (unknown.length > 0) {
    console.error(`there is no ${unknown.join(', ')} to build; one of: ${Object.keys(targets.newest).join(', ')}`)
    process.exit(2)
  }
  try {
    for (const path of (await buildBinaries(wanted)).values()) console.log(path)
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
