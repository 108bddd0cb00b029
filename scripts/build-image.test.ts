import { mkdtempDisposable, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { imageConfig, layerFolders, layOut, parseLibraries } from './build-image.ts'
import { type ImageEntry } from './image-archive.ts'

const dockerfile = await readFile(join(import.meta.dirname, '..', 'Dockerfile'), 'utf8')
const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

test('the Dockerfile runs the same thing as the same user', () => {
  const line = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(last)?.[1]
  expect(line('USER')).toBe(imageConfig.User)
  expect(line('WORKDIR')).toBe(imageConfig.WorkingDir)
  expect(line('ENV')).toBe(imageConfig.Env.join(' '))
  expect(JSON.parse(line('ENTRYPOINT') ?? '')).toEqual(imageConfig.Entrypoint)
  expect(line('FROM')).toBe('scratch')
})

test('the Dockerfile copies every layer, from the bottom to the top, and nothing else', () => {
  const copied = Array.from(last.matchAll(/^(?:COPY|ADD) (.*)$/gm), ([, what]) => what)
  expect(copied).toEqual(layerFolders.map((name) => `--from=build /image/${name} /`))
})

test('what is laid out has the modes of the image whatever the umask, and no times', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-layout-'))
  const content = Buffer.from('hello')
  const entries: readonly ImageEntry[] = [
    { kind: 'folder', path: 'bin' },
    { kind: 'folder', path: 'tmp', writable: true },
    { kind: 'file', path: 'bin/hello', content, executable: true },
    { kind: 'file', path: 'bin/note', content },
  ]
  await layOut(folder.path, entries)
  const found = ['.', ...entries.map(({ path }) => path)].map(async (path) => {
    const { mode, mtimeMs } = await stat(join(folder.path, path))
    return [path, (mode & 0o7777).toString(8), mtimeMs]
  })
  expect(await Promise.all(found)).toEqual([
    ['.', '755', 0],
    ['bin', '755', 0],
    ['tmp', '1777', 0],
    ['bin/hello', '755', 0],
    ['bin/note', '644', 0],
  ])
  expect(await readFile(join(folder.path, 'bin/hello'))).toEqual(content)
})

test('libraries are those that ldd finds, and the linker', () => {
  const printed = [
    '\tlinux-vdso.so.1 (0x00007f7f9fba5000)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f7f9faa5000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f7f9fba7000)',
  ]
  expect(parseLibraries(printed.join('\n'))).toEqual(['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2'])
})

test('one that is not on the machine is named', () => {
  expect(() => parseLibraries('\tlibatomic.so.1 => not found\n')).toThrow(
    'Node needs libatomic.so.1, which is not on this machine',
  )
})
