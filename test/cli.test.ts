import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

test('bin/lifeboat runs the sources as they are', async () => {
  const { stdout } = await run(join(root, 'bin/lifeboat'), ['version', '--client'])
  expect(stdout).toBe(`lifeboat ${packageJson.version}\n`)
})

test('bin/kubectl-lifeboat is the same, and calls itself as kubectl does', async () => {
  const { stdout } = await run(join(root, 'bin/kubectl-lifeboat'), ['drain', '--help'])
  expect(stdout).toContain('Usage: kubectl lifeboat drain [options] [nodes...]')
})

test('before the first set-up bin/lifeboat says what to run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-bin-'))
  try {
    await mkdir(join(folder, 'bin'))
    await copyFile(join(root, 'bin/lifeboat'), join(folder, 'bin/lifeboat'))
    const failure: unknown = await run(join(folder, 'bin/lifeboat'), ['version']).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/not set up yet[^]*make -C .* build/) })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the program of the release is one file that runs without the sources', { timeout: 60_000 }, async () => {
  await run(process.execPath, [join(root, 'scripts/bundle.ts')], { cwd: root })
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-bundle-'))
  try {
    const bundle = join(folder, 'lifeboat.mjs')
    await copyFile(join(root, 'dist/lifeboat.mjs'), bundle)
    const { stdout } = await run(process.execPath, [bundle, 'version', '--client'])
    expect(stdout).toBe(`lifeboat ${packageJson.version}\n`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
