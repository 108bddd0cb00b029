import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Architecture } from './elf.ts'

// Packages of Debian for another kind of machine, from where this machine has its own, and checked by apt as those are.
// Nothing is installed, and nothing that apt knows of this machine changes.

/** Runs a program to its end; rejects if it fails. */
export type Run = (
  program: string,
  args: readonly string[],
  options?: { readonly env?: Readonly<Record<string, string>> },
) => Promise<unknown>

export interface Wanted {
  readonly architecture: Architecture
  readonly packages: readonly string[]
  /** For what is downloaded, and for what is in it. */
  readonly folder: string
  readonly run: Run
}

/** All that apt writes is in the folder. An empty list of what is installed has it bring what the packages need, too. */
export function aptConfiguration(folder: string, architecture: Architecture): string {
  const settings = {
    'APT::Architecture': architecture,
    'APT::Install-Recommends': 'false',
    // Only root may become its own user for downloads, and that user could not write here.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Debug::NoLocking': 'true',
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";`)
  return [`APT::Architectures { "${architecture}"; };`, ...lines, ''].join('\n')
}

/** Resolves to the folder in which the packages are laid out as on a machine that has them. */
export async function unpackPackages({ architecture, packages, folder, run }: Wanted): Promise<string> {
  const archives = join(folder, 'cache', 'archives')
  await mkdir(join(folder, 'state', 'lists', 'partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  await writeFile(join(folder, 'status'), '')
  const configuration = join(folder, 'apt.conf')
  await writeFile(configuration, aptConfiguration(folder, architecture))
  const options = { env: { APT_CONFIG: configuration, LC_ALL: 'C' } }
  try {
    await run('apt-get', ['update', '--quiet'], options)
    await run('apt-get', ['install', '--quiet', '--yes', '--download-only', ...packages], options)
  } catch (error) {
    throw new Error(whyNot(architecture, error), { cause: error })
  }
  const root = join(folder, 'root')
  await mkdir(root)
  const names = await readdir(archives)
  for (const name of names.filter((each) => each.endsWith('.deb')).toSorted()) {
    await run('dpkg-deb', ['--extract', join(archives, name), root])
  }
  return root
}

function whyNot(architecture: Architecture, error: unknown): string {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  const why = isMissing ? 'apt-get is not on this machine' : String(error instanceof Error ? error.message : error)
  return `the image for ${architecture} takes shared libraries from packages of Debian, and ${why.trim()}
Build it on Debian with a network, or with \`docker buildx build --platform linux/${architecture}\`. What is built already is for this machine; \`make image ARCH=own\` builds nothing else.`
}
