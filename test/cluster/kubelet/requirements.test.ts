import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram, missingForContainers } from './requirements.ts'

test('a program is found where it can be run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-programs-'))
  try {
    await writeFile(join(folder, 'a-program'), '', { mode: 0o755 })
    await writeFile(join(folder, 'a-text'), '', { mode: 0o644 })
    const environment = { PATH: `/nonexistent:${folder}` }
    expect(await findProgram('a-program', environment)).toBe(join(folder, 'a-program'))
    expect(await findProgram('a-text', environment)).toBeUndefined()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.skipIf(process.platform !== 'linux')('what lacks is named with the package that has it', async () => {
  const missing = await missingForContainers({ PATH: '' })
  expect(missing).toContain('containerd (package containerd)')
  expect(missing).toContain('busybox (package busybox-static)')
})
