import { execFile } from 'node:child_process'
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { type Image, type ImageEntry, modeOf, writeImage } from './image-archive.ts'

// Builds the container images without a container engine, from what is in dist/ and node_modules/: the Node that the
// project pins, the shared libraries that it is linked to, and the release. That of the node agent has a layer more,
// with programs of systemd from this machine. With --root it only lays out the files, for the Dockerfile, so that both
// make the same images.

const root = join(import.meta.dirname, '..')
const node = join(root, 'node_modules/node/bin/node')
const released = join(root, 'dist/lifeboat.mjs')

/** How the image runs; the Dockerfile says the same, which a test checks. */
export const imageConfig = {
  User: '65532:65532',
  Entrypoint: ['/usr/bin/node', '/lifeboat/lifeboat.mjs'],
  Env: ['NODE_ENV=production', 'PATH=/usr/bin', 'NODE_COMPILE_CACHE=/lifeboat/cache', 'NODE_COMPILE_CACHE_PORTABLE=1'],
  WorkingDir: '/',
}

/** Root: without polkit nobody else may hold up a shutdown, and nobody else may follow the system bus. */
export const agentImageConfig = { ...imageConfig, User: '0:0' }

export const imageReference = `lifeboat:${packageJson.version}`
export const agentImageReference = `lifeboat-agent:${packageJson.version}`

const passwd = 'root:x:0:0:root:/root:/none\nnonroot:x:65532:65532:nonroot:/nonexistent:/none\n'
const group = 'root:x:0:\nnonroot:x:65532:\n'

/** `program` is lifeboat.mjs, as scripts/bundle.ts writes it. The embedded cluster, the file beside it, stays out. */
export async function lifeboatImage(program: string = released): Promise<Image> {
  return {
    reference: imageReference,
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    layers: [await runtimeLayer(), await programLayer(program)],
    config: imageConfig,
  }
}

/** The image of the controller, and one layer on top of it. */
export async function agentImage(below: Image): Promise<Image> {
  const tools = await toolsLayer(below.layers.flat())
  return { ...below, reference: agentImageReference, layers: [...below.layers, tools], config: agentImageConfig }
}

async function runtimeLayer(): Promise<ImageEntry[]> {
  const files = [
    { path: 'usr/bin/node', content: await readFile(node), executable: true },
    { path: 'etc/passwd', content: Buffer.from(passwd) },
    { path: 'etc/group', content: Buffer.from(group) },
    ...(await Promise.all((await librariesOf(node)).map((path) => readExecutable(path)))),
  ]
  return withFolders(files, [{ kind: 'folder', path: 'tmp', writable: true }])
}

/** What the agent and the lock beside it run, each with the Debian package that it is from. */
export const agentTools = { busctl: 'systemd', 'systemd-inhibit': 'systemd', sleep: 'coreutils' } as const

/** Programs by which the agent talks to the system bus of its node, and what they need that is not in the image yet. */
export async function toolsLayer(
  below: readonly ImageEntry[],
  folders: readonly string[] = ['/usr/bin', '/bin'],
): Promise<ImageEntry[]> {
  const found = await findTools(folders)
  const libraries = new Set((await Promise.all(found.map(librariesOf))).flat())
  const present = new Set(below.map(({ path }) => `/${path}`))
  const files = await Promise.all([
    ...found.map((path) => readExecutable(path, `usr/bin/${basename(path)}`)),
    ...[...libraries].filter((path) => !present.has(path)).map((path) => readExecutable(path)),
  ])
  const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1)
  return withFolders(files.toSorted(byPath))
}

async function findTools(folders: readonly string[]): Promise<string[]> {
  const tools = await Promise.all(
    Object.entries(agentTools).map(async ([name, packageName]) => ({
      name,
      packageName,
      path: await findIn(folders, name),
    })),
  )
  const missing = tools.filter(({ path }) => path === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    const packages = [...new Set(missing.map(({ packageName }) => packageName))].join(' ')
    throw new Error(
      `the image of the node agent needs ${names}, not found in ${folders.join(', ')}: run \`apt-get install ${packages}\` first, or build it with \`docker build --target agent\``,
    )
  }
  return tools.flatMap(({ path }) => (path === undefined ? [] : [path]))
}

async function findIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name)
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

async function readExecutable(from: string, path = from.slice(1)) {
  return { path, content: await readFile(from), executable: true }
}

async function programLayer(program: string): Promise<ImageEntry[]> {
  const content = await readFile(program).catch(() => {
    throw new Error(`${program} is missing: run \`make build\` first`)
  })
  return withFolders([{ path: 'lifeboat/lifeboat.mjs', content }, ...(await compiledForms(content))])
}

/** What Node makes of the program when it first loads it, without which each start takes twice as long. */
async function compiledForms(content: Buffer): Promise<{ path: string; content: Buffer }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-compiled-'))
  try {
    const program = join(folder, 'lifeboat.mjs')
    await writeFile(program, content)
    const cache = join(folder, 'cache')
    const env = { NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1' }
    await promisify(execFile)(node, [program, '--help'], { env })
    const entries = await readdir(cache, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return await Promise.all(
      paths.map(async (path) => ({
        path: join('lifeboat', 'cache', relative(cache, path)),
        content: await readFile(path),
      })),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Where the dynamic linker finds what the program needs, and the linker itself. */
export async function librariesOf(path: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [path]).catch((error: unknown) => {
    throw new Error('the image is built on Linux, where ldd names the libraries of a program', { cause: error })
  })
  return parseLibraries(stdout, basename(path))
}

export function parseLibraries(printed: string, program: string): string[] {
  const missing = /^\s*(\S+) => not found/m.exec(printed)
  if (missing !== null)
    throw new Error(`${program} needs ${missing[1]}, which is not on this machine: install it first`)
  return Array.from(printed.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[\da-f]+\)$/gm), ([, path = '']) => path).toSorted()
}

function withFolders(
  files: readonly { readonly path: string; readonly content: Buffer; readonly executable?: boolean }[],
  more: readonly ImageEntry[] = [],
): ImageEntry[] {
  const folders = new Set<string>()
  for (const { path } of files) {
    for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at)
  }
  return [
    ...[...folders].toSorted().map((path) => ({ kind: 'folder', path }) as const),
    ...more,
    ...files.map((file) => ({ kind: 'file', ...file }) as const),
  ]
}

/** The folders that the Dockerfile copies, one for each layer: who has the runtime pulls only the program. */
export const layerFolders = ['runtime', 'program', 'tools'] as const

export async function layOut(folder: string, entries: readonly ImageEntry[]): Promise<void> {
  const top: ImageEntry = { kind: 'folder', path: '.' }
  for (const entry of [top, ...entries]) {
    const path = join(folder, entry.path)
    if (entry.kind === 'folder') await mkdir(path, { recursive: true })
    else await writeFile(path, entry.content)
    // Apart, because the umask takes away from the mode that something is made with.
    await chmod(path, modeOf(entry))
  }
  // Last, because what is written into a folder changes its time. Without times, the same content is the same layer.
  for (const { path } of [top, ...entries]) await utimes(join(folder, path), 0, 0)
}

async function main(): Promise<void> {
  const options = { output: { type: 'string', default: 'dist' }, root: { type: 'string' } } as const
  const { output, root: laidOut } = parseArgs({ options }).values
  const image = await lifeboatImage()
  // The first is written before the second is tried: this machine may not have what that needs.
  if (laidOut === undefined) {
    await write(join(output, 'lifeboat-image.tar'), image)
    await write(join(output, 'lifeboat-agent-image.tar'), await agentImage(image))
    return
  }
  const { layers } = await agentImage(image)
  for (const [index, name] of layerFolders.entries()) await layOut(join(laidOut, name), layers[index] ?? [])
  console.log(`laid out ${image.reference} and ${agentImageReference} in ${laidOut}`)
}

async function write(path: string, image: Image): Promise<void> {
  await writeImage(path, image)
  console.log(`built ${path}: ${image.reference}`)
}

if (import.meta.main) {
  process.chdir(root)
  await main()
}
