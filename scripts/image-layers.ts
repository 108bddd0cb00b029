import { dirname } from 'node:path'
import type { Architecture } from './elf.ts'
import type { ImageEntry } from './image-archive.ts'

// What the layers of an image have in common, for whichever machine they are.

export interface ImageFile {
  /** Without a slash at the begin. */
  readonly path: string
  readonly content: Buffer
  readonly executable?: boolean
}

const passwd = 'root:x:0:0:root:/root:/none\nnonroot:x:65532:65532:nonroot:/nonexistent:/none\n'
const group = 'root:x:0:\nnonroot:x:65532:\n'

export const architectureOf = (nodeName: string): Architecture | undefined =>
  ({ x64: 'amd64', arm64: 'arm64' } as const)[nodeName as 'x64' | 'arm64']

export function runtimeEntries(node: Buffer, libraries: readonly ImageFile[]): ImageEntry[] {
  const files = [
    { path: 'usr/bin/node', content: node, executable: true },
    { path: 'etc/passwd', content: Buffer.from(passwd) },
    { path: 'etc/group', content: Buffer.from(group) },
    ...libraries,
  ]
  return withFolders(files, [{ kind: 'folder', path: 'tmp', writable: true }])
}

/** Programs, and those of their libraries that no layer below has. */
export function toolEntries(
  tools: readonly ImageFile[],
  libraries: readonly ImageFile[],
  below: readonly ImageEntry[],
): ImageEntry[] {
  const present = new Set(below.map(({ path }) => path))
  const files = [...tools, ...libraries.filter(({ path }) => !present.has(path))]
  return withFolders(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
}

export function withFolders(files: readonly ImageFile[], more: readonly ImageEntry[] = []): ImageEntry[] {
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
