import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { type Image, type ImageEntry, modeOf, writeImage } from './image-archive.ts'

// Builds the container image without a container engine, from what is in dist/ and node_modules/: the Node that the
// project pins, the shared libraries that it is linked to, and the release. With --root it only lays out the files, for
// the Dockerfile, so that both make the same image.

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

export const imageReference = `lifeboat:${packageJson.version}`

const passwd = 'root:x:0:0:root:/root:/none\nnonroot:x:65532:65532:nonroot:/nonexistent:/none\n'
const group = 'root:x:0:\nnonroot:x:65532:\n'

/** `program` is the release, as scripts/bundle.ts writes it. */
export async function lifeboatImage(program: string = released): Promise<Image> {
  return {
    reference: imageReference,
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    layers: [await runtimeLayer(), await programLayer(program)],
    config: imageConfig,
  }
}

async function runtimeLayer(): Promise<ImageEntry[]> {
  const libraries = await librariesOf(node)
  const files = [
    { path: 'usr/bin/node', content: await readFile(node), executable: true },
    { path: 'etc/passwd', content: Buffer.from(passwd) },
    { path: 'etc/group', content: Buffer.from(group) },
    ...(await Promise.all(
      libraries.map(async (path) => ({ path: path.slice(1), content: await readFile(path), executable: true })),
    )),
  ]
  return withFolders(files, [{ kind: 'folder', path: 'tmp', writable: true }])
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
  return parseLibraries(stdout)
}

export function parseLibraries(printed: string): string[] {
  const missing = /^\s*(\S+) => not found/m.exec(printed)
  if (missing !== null) throw new Error(`Node needs ${missing[1]}, which is not on this machine: install it first`)
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
export const layerFolders = ['runtime', 'program'] as const

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
  const options = { output: { type: 'string', default: 'dist/lifeboat-image.tar' }, root: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const image = await lifeboatImage()
  if (values.root === undefined) {
    await writeImage(values.output, image)
    console.log(`built ${values.output}: ${image.reference}`)
  } else {
    for (const [index, name] of layerFolders.entries()) await layOut(join(values.root, name), image.layers[index] ?? [])
    console.log(`laid out ${image.reference} in ${values.root}`)
  }
}

if (import.meta.main) {
  process.chdir(root)
  await main()
}
