import { basename, dirname, join } from 'node:path'
import { type Architecture, type Elf, parseElf } from './elf.ts'
import type { ImageFile } from './image-layers.ts'

/** Reads a file of the system that programs are for; undefined if it has none of this path. Without a slash at the begin. */
export type ReadSystem = (path: string) => Promise<Buffer | undefined>

/** Where the dynamic linker of Debian looks by itself. */
const folders: Readonly<Record<Architecture, readonly string[]>> = {
  amd64: ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'lib64', 'usr/lib64', 'lib', 'usr/lib'],
  arm64: ['lib/aarch64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'lib', 'usr/lib'],
}

interface Found {
  readonly file: ImageFile
  readonly elf: Elf
}

/**
 * The libraries of programs that this machine cannot run, with the linker that starts them: `ldd` without a run. Each
 * is for the same kind of machine, and has the versions that it is needed in.
 */
export async function librariesOf(
  programs: readonly ImageFile[],
  architecture: Architecture,
  read: ReadSystem,
): Promise<ImageFile[]> {
  const known = new Map<string, Found>()
  const queue: Found[] = programs.map((file) => ({ file, elf: parseElf(file.content) }))
  const checked: Found[] = []
  for (let user = queue.shift(); user !== undefined; user = queue.shift()) {
    expectArchitecture(user, architecture)
    checked.push(user)
    for (const { name, paths } of candidatesFor(user, architecture)) {
      if (known.has(name)) continue
      const found = await firstOf(name, paths, user, read)
      known.set(name, found)
      queue.push(found)
    }
  }
  for (const user of checked) expectVersions(user, known)
  const files = [...known.values()].map(({ file }) => file)
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

function candidatesFor({ file, elf }: Found, architecture: Architecture): { name: string; paths: string[] }[] {
  const first = elf.runPath.map((folder) => relative(folder.replaceAll('$ORIGIN', `/${dirname(file.path)}`)))
  const libraries = elf.needed.map((name) => ({
    name,
    paths: [...first, ...folders[architecture]].map((folder) => join(folder, name)),
  }))
  if (elf.interpreter === undefined) return libraries
  // At the path that programs have of it, wherever the system keeps it.
  const path = relative(elf.interpreter)
  return [{ name: basename(path), paths: [path, join('usr', path)] }, ...libraries]
}

const relative = (path: string) => path.replace(/^\/+/, '')

async function firstOf(name: string, paths: readonly string[], user: Found, read: ReadSystem): Promise<Found> {
  for (const path of paths) {
    const content = await read(path)
    if (content === undefined) continue
    const isInterpreter = user.elf.interpreter !== undefined && basename(user.elf.interpreter) === name
    const file = { path: isInterpreter ? relative(user.elf.interpreter) : path, content, executable: true }
    return { file, elf: parseElf(content) }
  }
  throw new Error(`${basename(user.file.path)} needs ${name}, which none of the packages has`)
}

function expectArchitecture({ file, elf }: Found, architecture: Architecture): void {
  if (elf.architecture === architecture) return
  throw new Error(`${file.path} is for ${elf.architecture}, and the image is for ${architecture}`)
}

function expectVersions({ file, elf }: Found, known: ReadonlyMap<string, Found>): void {
  for (const [library, versions] of elf.neededVersions) {
    const offered = known.get(library)?.elf.versions ?? []
    const missing = versions.filter((version) => !offered.includes(version))
    if (missing.length === 0) continue
    throw new Error(
      `${basename(file.path)} needs ${library} with ${missing.join(', ')}: take the packages of a newer release of Debian`,
    )
  }
}
