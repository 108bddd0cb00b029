import { execFile } from 'node:child_process'
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import type { Run } from './debian-packages.ts'
import type { Architecture } from './elf.ts'
import { foreignLayers } from './foreign-image.ts'
import { type Image, type ImageEntry, modeOf, writeImage } from './image-archive.ts'
import { architectureOf, type ImageFile, runtimeEntries, toolEntries, withFolders } from './image-layers.ts'
import { fetchNode } from './node-binary.ts'

// Builds the container images without a container engine, from what is in dist/ and node_modules/: the Node that the
// project pins, the shared libraries that it is linked to, and the release. That of the node agent has a layer more,
// with programs of systemd from this machine. For the other kind of machine, amd64 or arm64, Node is from its package
// for npm, and the rest from packages of Debian. With --root it only lays out the files, for the Dockerfile, so that both
// make the same images.

const root = join(import.meta.dirname, '..')
const ownNode = join(root, 'node_modules/node/bin/node')
const released = join(root, 'dist/lifeboat.mjs')

/** How the image runs; the Dockerfile says the same, which a test checks. */
export const imageConfig = {
  User: '65532:65532',
  Entrypoint: ['/usr/bin/node', '/lifeboat/lifeboat.mjs'],
  Env: [
    'NODE_ENV=production',
    'PATH=/usr/bin',
    // So that it has one where no file says whose id it runs with.
    'HOME=/nonexistent',
    'NODE_COMPILE_CACHE=/lifeboat/cache',
    'NODE_COMPILE_CACHE_PORTABLE=1',
  ],
  WorkingDir: '/',
}

/** Root: without polkit nobody else may hold up a shutdown, and nobody else may follow the system bus. */
export const agentImageConfig = { ...imageConfig, User: '0:0' }

export const imageReference = `lifeboat:${packageJson.version}`
export const agentImageReference = `lifeboat-agent:${packageJson.version}`

/** `program` is lifeboat.mjs, as scripts/bundle.ts writes it. The embedded cluster, the file beside it, stays out. */
export async function lifeboatImage(program: string = released): Promise<Image> {
  return {
    reference: imageReference,
    architecture: architectureOf(process.arch) ?? process.arch,
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
  const libraries = await Promise.all((await librariesOf(ownNode)).map((path) => readExecutable(path)))
  return runtimeEntries(await readFile(ownNode), libraries)
}

/** Both images for a kind of machine that this one is not. */
export async function foreignImages(architecture: Architecture, run: Run, program: string = released) {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-foreign-'))
  try {
    const node = await fetchNode(architecture, folder, run)
    const { runtime, tools } = await foreignLayers({ architecture, tools: agentTools, node, folder, run })
    // Without compiled forms: only a Node of that kind makes them.
    const layers = [runtime, withFolders([await programFile(program)])]
    const image: Image = { reference: imageReference, architecture, layers, config: imageConfig }
    const agent = { ...image, reference: agentImageReference, layers: [...layers, tools], config: agentImageConfig }
    return { image, agent }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
  const read = (paths: readonly string[]) => Promise.all(paths.map((path) => readExecutable(path)))
  const tools = await Promise.all(found.map((path) => readExecutable(path, `usr/bin/${basename(path)}`)))
  return toolEntries(tools, await read([...libraries]), below)
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

async function readExecutable(from: string, path = from.slice(1)): Promise<ImageFile> {
  return { path, content: await readFile(from), executable: true }
}

async function programLayer(program: string): Promise<ImageEntry[]> {
  const file = await programFile(program)
  return withFolders([file, ...(await compiledForms(file.content))])
}

async function programFile(program: string): Promise<ImageFile> {
  const content = await readFile(program).catch(() => {
    throw new Error(`${program} is missing: run \`make build\` first`)
  })
  return { path: 'lifeboat/lifeboat.mjs', content }
}

/** What Node makes of the program when it first loads it, without which each start takes twice as long. */
async function compiledForms(content: Buffer): Promise<{ path: string; content: Buffer }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-compiled-'))
  try {
    const program = join(folder, 'lifeboat.mjs')
    await writeFile(program, content)
    const cache = join(folder, 'cache')
    const env = { NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1' }
    await promisify(execFile)(ownNode, [program, '--help'], { env })
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
  const options = {
    output: { type: 'string', default: 'dist' },
    root: { type: 'string' },
    architecture: { type: 'string', default: 'own' },
  } as const
  const { output, root: laidOut, architecture } = parseArgs({ options }).values
  if (architecture !== 'all' && architecture !== 'own') {
    throw new Error(`--architecture is ${architecture}: it takes own, for this machine, or all, for amd64 and arm64`)
  }
  const image = await lifeboatImage()
  if (laidOut !== undefined) {
    const { layers } = await agentImage(image)
    for (const [index, name] of layerFolders.entries()) await layOut(join(laidOut, name), layers[index] ?? [])
    console.log(`laid out ${image.reference} and ${agentImageReference} in ${laidOut}`)
    return
  }
  // Each is written before the next is tried: this machine may not have what that needs.
  await writeOwn(output, 'lifeboat-image', image)
  await writeOwn(output, 'lifeboat-agent-image', await agentImage(image))
  const other: Architecture = image.architecture === 'arm64' ? 'amd64' : 'arm64'
  if (architecture === 'own') return
  const foreign = await foreignImages(other, runProgram)
  await write(join(output, `lifeboat-image-${other}.tar`), foreign.image)
  await write(join(output, `lifeboat-agent-image-${other}.tar`), foreign.agent)
}

const runProgram: Run = (program, args, { env } = {}) =>
  promisify(execFile)(program, args, { env: { ...process.env, ...env }, maxBuffer: 16 * 1024 * 1024 })

/** Under the name that is the same everywhere, and under that of its architecture, which takes no more room. */
async function writeOwn(folder: string, name: string, image: Image): Promise<void> {
  const path = join(folder, `${name}.tar`)
  await write(path, image)
  const named = join(folder, `${name}-${image.architecture}.tar`)
  await rm(named, { force: true })
  await link(path, named)
}

async function write(path: string, image: Image): Promise<void> {
  await writeImage(path, image)
  console.log(`built ${path}: ${image.reference} for ${image.architecture}`)
}

if (import.meta.main) {
  process.chdir(root)
  await main()
}
