import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file of the repository that src says all of. */
export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

export async function driftedFiles(files: readonly GeneratedFile[]): Promise<string[]> {
  const contents = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => undefined)))
  return files.filter(({ content }, index) => content !== contents[index]).map(({ path }) => path)
}

/** Writes the files; only checking, it says which are not up to date and makes the process fail. */
export async function keepGenerated(files: readonly GeneratedFile[], isCheck: boolean): Promise<void> {
  if (!isCheck) {
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    return
  }
  for (const path of await driftedFiles(files)) {
    console.error(`${path} is not what src says: run \`make manifests\``)
    process.exitCode = 1
  }
}
