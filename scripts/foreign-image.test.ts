import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeElf } from '../test/build/fake-elf.ts'
import type { Run } from './debian-packages.ts'
import { parseElf } from './elf.ts'
import { foreignLayers, systemAt } from './foreign-image.ts'
import type { ImageEntry } from './image-archive.ts'

const interpreter = '/lib/ld-linux-aarch64.so.1'
const inPackages = {
  'lib/aarch64-linux-gnu/ld-linux-aarch64.so.1': fakeElf({}),
  'lib/aarch64-linux-gnu/libc.so.6': fakeElf({ needed: ['ld-linux-aarch64.so.1'], versions: ['GLIBC_2.28'] }),
  'usr/lib/aarch64-linux-gnu/libcap.so.2': fakeElf({ needed: ['libc.so.6'] }),
  'usr/bin/busctl': fakeElf({ interpreter, needed: ['libcap.so.2', 'libc.so.6'] }),
  'bin/sleep': fakeElf({ interpreter, needed: ['libc.so.6'] }),
  'usr/share/doc/libc6/copyright': Buffer.from('a text'),
}

/** Packages that have these files between them, with the link to the linker that libc6 has. */
const unpacking: Run = async (program, args) => {
  const [, , root = ''] = args
  if (program !== 'dpkg-deb') return
  for (const [path, content] of Object.entries(inPackages)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await symlink('aarch64-linux-gnu/ld-linux-aarch64.so.1', join(root, interpreter))
}

const filesOf = (entries: readonly ImageEntry[]) => entries.flatMap((entry) => (entry.kind === 'file' ? [entry] : []))

test('an image for another machine has what runs there, all of it for that machine, and nothing twice', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-foreign-'))
  const asked: string[] = []
  const run: Run = async (program, args, options) => {
    if (program === 'apt-get' && args[0] === 'install') {
      asked.push(...args.slice(4))
      await writeFile(join(folder.path, 'cache/archives/all.deb'), '')
      return
    }
    await unpacking(program, args, options)
  }
  const { runtime, tools } = await foreignLayers({
    architecture: 'arm64',
    tools: { busctl: 'systemd', sleep: 'coreutils' },
    node: fakeElf({ interpreter, needed: ['libc.so.6'], neededVersions: { 'libc.so.6': ['GLIBC_2.28'] } }),
    folder: folder.path,
    run,
  })
  expect(asked).toEqual(['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1', 'systemd', 'coreutils'])
  expect(filesOf(runtime).map(({ path }) => path)).toEqual([
    'usr/bin/node',
    'etc/passwd',
    'etc/group',
    'lib/aarch64-linux-gnu/libc.so.6',
    'lib/ld-linux-aarch64.so.1',
  ])
  expect(filesOf(tools).map(({ path }) => path)).toEqual([
    'usr/bin/busctl',
    'usr/bin/sleep',
    'usr/lib/aarch64-linux-gnu/libcap.so.2',
  ])
  const programs = [...filesOf(runtime), ...filesOf(tools)].filter(({ path }) => !path.startsWith('etc/'))
  expect(new Set(programs.map(({ content }) => parseElf(content).architecture))).toEqual(new Set(['arm64']))
  expect(programs.filter(({ executable }) => executable !== true)).toEqual([])
})

test('a link that leads out of the packages is not followed to a file of this machine', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-foreign-'))
  const root = join(folder.path, 'root')
  await mkdir(root)
  await writeFile(join(folder.path, 'secret'), 'of this machine')
  await writeFile(join(root, 'file'), 'of a package')
  await symlink('../secret', join(root, 'out'))
  await symlink('file', join(root, 'in'))
  const read = systemAt(root)
  const texts = await Promise.all(['file', 'in', 'out', 'none'].map(async (path) => (await read(path))?.toString()))
  expect(texts).toEqual(['of a package', 'of a package', undefined, undefined])
})
