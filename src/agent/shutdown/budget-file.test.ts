import { mkdtempDisposable, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { budgetFile } from './budget-file.ts'

test('is written, read and removed, also where its folder is not there yet', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'budget-'))
  const path = join(folder.path, 'logind.conf.d', 'zz-lifeboat.conf')
  const file = budgetFile(path)
  expect(await file.read()).toBeUndefined()
  await file.remove()
  await file.write('[Login]\n')
  await file.write('[Login]\nInhibitDelayMaxSec=5\n')
  expect(await file.read()).toBe('[Login]\nInhibitDelayMaxSec=5\n')
  expect(await readdir(join(folder.path, 'logind.conf.d'))).toEqual(['zz-lifeboat.conf'])
  // logind reads it as root; whoever looks for the reason of a delay may not be.
  expect((await stat(path)).mode & 0o777).toBe(0o644)
  await file.remove()
  expect(await file.read()).toBeUndefined()
})

test('what cannot be read is a failure, not a missing file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'budget-'))
  await expect(budgetFile(folder.path).read()).rejects.toThrow('EISDIR')
})
