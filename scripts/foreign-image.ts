import { readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { unpackPackages, type Run } from './debian-packages.ts'
import type { Architecture } from './elf.ts'
import type { ImageEntry } from './image-archive.ts'
import { type ImageFile, runtimeEntries, toolEntries } from './image-layers.ts'
import { librariesOf, type ReadSystem } from './library-closure.ts'

export interface ForeignParts {
  readonly architecture: Architecture
  /** By the name of a program, the Debian package that it is from. */
  readonly tools: Readonly<Record<string, string>>
  readonly node: Buffer
  readonly folder: string
  readonly run: Run
}

/** What the shared libraries of Node are from. */
const libraryPackages = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1']

/** The layers of images for a kind of machine that this one is not, apart from that of the program. */
export async function foreignLayers({
  architecture,
  tools,
  node,
  folder,
  run,
}: ForeignParts): Promise<{ readonly runtime: ImageEntry[]; readonly tools: ImageEntry[] }> {
  const packages = [...new Set([...libraryPackages, ...Object.values(tools)])]
  const read = systemAt(await unpackPackages({ architecture, packages, folder, run }))
  const programs = await Promise.all(Object.keys(tools).map((name) => findProgram(name, read)))
  const nodeFile = { path: 'usr/bin/node', content: node }
  const runtime = runtimeEntries(node, await librariesOf([nodeFile], architecture, read))
  return { runtime, tools: toolEntries(programs, await librariesOf(programs, architecture, read), runtime) }
}

async function findProgram(name: string, read: ReadSystem): Promise<ImageFile> {
  const content = (await read(`usr/bin/${name}`)) ?? (await read(`bin/${name}`))
  if (content === undefined) throw new Error(`none of the packages has ${name}`)
  return { path: `usr/bin/${name}`, content, executable: true }
}

/** The files below a folder, as if it were the top. A link that leads out of it is a file of this machine: not read. */
export function systemAt(root: string): ReadSystem {
  return async (path) => {
    try {
      const top = await realpath(root)
      const real = await realpath(join(root, path))
      return real.startsWith(`${top}${sep}`) ? await readFile(real) : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
}
