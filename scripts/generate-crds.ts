import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { customResourceDefinitions } from '../src/api/custom-resource-definitions.ts'

// Writes deploy/crds from the schemas in src/api; with --check only tells whether the files there are up to date.

const header = '# Generated from src/api by `make crds`: edit there, not here.\n'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

export function generateDefinitions(folder: string): GeneratedFile[] {
  return customResourceDefinitions().map((definition) => ({
    path: join(folder, `${definition.metadata.name}.yaml`),
    content: header + stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false }),
  }))
}

export async function driftedFiles(files: readonly GeneratedFile[]): Promise<string[]> {
  const contents = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => undefined)))
  return files.filter(({ content }, index) => content !== contents[index]).map(({ path }) => path)
}

async function main(check: boolean): Promise<void> {
  const folder = join('deploy', 'crds')
  const files = generateDefinitions(folder)
  if (!check) {
    await mkdir(folder, { recursive: true })
    await Promise.all(files.map(({ path, content }) => writeFile(path, content)))
    return
  }
  for (const path of await driftedFiles(files)) {
    console.error(`${path} is not what src/api says: run \`make crds\``)
    process.exitCode = 1
  }
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await main(process.argv.includes('--check'))
}
