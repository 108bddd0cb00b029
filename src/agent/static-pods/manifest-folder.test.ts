import { mkdir, mkdtempDisposable, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manifestOf } from '../../../test/build/memory-folder.ts'
import { manifestFolder } from './manifest-folder.ts'
import { keepStaticPods } from './static-pod-keeper.ts'

const wanted = { park: [{ pod: 'kube-system/a-one', since: '2026-01-01T00:00:00Z' }] }
const none = { park: [] }

async function openFolder() {
  const temporary = await mkdtempDisposable(join(tmpdir(), 'manifests-'))
  await writeFile(join(temporary.path, 'a.yaml'), manifestOf('a'))
  return temporary
}

test('on a real file system: parked, replaced, put back, with the same inode where it is the same', async () => {
  await using temporary = await openFolder()
  const { path } = temporary
  const folder = manifestFolder(path, 'one')
  const { ino } = await stat(join(path, 'a.yaml'))
  expect(await keepStaticPods(folder, wanted)).toMatchObject({ parked: ['kube-system/a-one'], problems: [] })
  expect(await readdir(path)).toEqual(['.lifeboat-parked.a.yaml'])
  await keepStaticPods(folder, none)
  expect(await readdir(path)).toEqual(['a.yaml'])
  expect((await stat(join(path, 'a.yaml'))).ino).toBe(ino)

  await keepStaticPods(folder, wanted)
  await writeFile(join(path, '.new'), manifestOf('a', { image: 'a:2' }))
  await rename(join(path, '.new'), join(path, 'a.yaml'))
  await keepStaticPods(folder, wanted)
  const report = await keepStaticPods(folder, none)
  expect(report).toMatchObject({ parked: [], superseded: ['kube-system/a-one'], problems: [] })
  expect(await readFile(join(path, 'a.yaml'), 'utf8')).toBe(manifestOf('a', { image: 'a:2' }))
})

test('passes over what no kubelet reads, and reads through links', async () => {
  await using temporary = await openFolder()
  const { path } = temporary
  await mkdir(join(path, 'folder.yaml'))
  await writeFile(join(path, '.hidden.yaml'), manifestOf('a'))
  await symlink('nowhere', join(path, 'broken.yaml'))
  await symlink('a.yaml', join(path, 'linked.yaml'))
  await writeFile(join(path, 'large.yaml'), 'x'.repeat(2 * 1024 * 1024))
  const listing = await manifestFolder(path, 'one').list()
  const files = listing.kind === 'files' ? listing.files : []
  expect(files.map(({ name, pod }) => [name, pod])).toEqual([
    ['a.yaml', 'kube-system/a-one'],
    ['large.yaml', undefined],
    ['linked.yaml', 'kube-system/a-one'],
  ])
})

test('one file in place of a folder is told', async () => {
  await using temporary = await openFolder()
  expect(await manifestFolder(join(temporary.path, 'a.yaml'), 'one').list()).toEqual({ kind: 'isFile' })
})
