import type { BigIntStats } from 'node:fs'
import { link, lstat, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isOfInterest, type FileStep, type ManifestFile } from './decide-parking.ts'
import { mirrorOfManifest } from './manifest.ts'

/** The folder that the kubelet reads its static pods from. */
export interface ManifestFolder {
  readonly path: string
  list(): Promise<FolderListing>
  /** What was done survives a power cut once this resolves. */
  take(step: FileStep): Promise<void>
}

export type FolderListing =
  | { readonly kind: 'files'; readonly files: readonly ManifestFile[] }
  /** A kubelet may be given one file instead of a folder: nothing can be parked beside it without being seen. */
  | { readonly kind: 'isFile' }

const limits = { fileBytesMax: 1024 * 1024, filesMax: 1_000 }

/** `node` is the name that mirrors have at their end. */
export function manifestFolder(path: string, node: string): ManifestFolder {
  return {
    path,
    list: async () => {
      if ((await stat(path)).isFile()) return { kind: 'isFile' }
      const names = (await readdir(path)).filter(isOfInterest).toSorted().slice(0, limits.filesMax)
      const files = await Promise.all(names.map((name) => readManifest(path, name, node)))
      return { kind: 'files', files: files.filter((file) => file !== undefined) }
    },
    take: async (step) => {
      await change(path, step)
      await sync(path)
    },
  }
}

/** Undefined: it is gone by now, or is nothing that a kubelet reads. */
async function readManifest(folder: string, name: string, node: string): Promise<ManifestFile | undefined> {
  const path = join(folder, name)
  try {
    // Of the name itself: a link to a file elsewhere is parked as the link that it is.
    const entry: BigIntStats = await lstat(path, { bigint: true })
    const content = entry.isSymbolicLink() ? await stat(path) : entry
    if (!content.isFile()) return undefined
    const isRead = content.size <= limits.fileBytesMax
    const pod = isRead ? mirrorOfManifest(await readFile(path, 'utf8'), node) : undefined
    return { name, inode: `${entry.dev}-${entry.ino}`, pod }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function change(folder: string, step: FileStep): Promise<void> {
  switch (step.kind) {
    case 'rename':
      return await rename(join(folder, step.from), join(folder, step.to))
    case 'link':
      return await link(join(folder, step.from), join(folder, step.to))
    case 'unlink':
      return await unlink(join(folder, step.name))
    default:
      return step satisfies never
  }
}

async function sync(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
