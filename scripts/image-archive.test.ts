import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Image, type ImageEntry, tarOf, writeImage } from './image-archive.ts'

const run = promisify(execFile)
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-archive-'))
})
afterAll(() => rm(folder, { recursive: true }))

const layer: readonly ImageEntry[] = [
  { kind: 'folder', path: 'bin' },
  { kind: 'file', path: 'bin/hello', content: Buffer.from('hello\n'), executable: true },
  { kind: 'folder', path: 'tmp', writable: true },
]
const image: Image = {
  reference: 'hello:1',
  architecture: 'amd64',
  layers: [layer, [{ kind: 'file', path: 'note', content: Buffer.alloc(512, 'x') }]],
  config: { User: '65532', Entrypoint: ['/bin/hello'] },
}

async function unpacked(path: string): Promise<string> {
  const target = await mkdtemp(join(folder, 'unpacked-'))
  await run('tar', ['--extract', '--file', path, '--directory', target])
  return target
}

test('tar reads it, and finds what docker looks for', async () => {
  const path = join(folder, 'image.tar')
  await writeImage(path, image)
  const target = await unpacked(path)
  const [manifest] = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8')) as [
    { Config: string; RepoTags: string[]; Layers: string[] },
  ]
  expect(manifest.RepoTags).toEqual(['hello:1'])
  const config = JSON.parse(await readFile(join(target, manifest.Config), 'utf8')) as {
    config: unknown
    rootfs: { diff_ids: string[] }
  }
  expect(config.config).toEqual(image.config)
  // A layer is found by what it contains: docker and containerd check it.
  expect(config.rootfs.diff_ids).toEqual(manifest.Layers.map((name) => `sha256:${name.replace('.tar', '')}`))
  const { stdout } = await run('sha256sum', [join(target, manifest.Layers[0] ?? '')])
  expect(stdout).toContain(manifest.Layers[0]?.replace('.tar', ''))
  const { stdout: listed } = await run('tar', ['--list', '--verbose', '--file', join(target, manifest.Layers[0] ?? '')])
  expect(listed.split('\n').map((line) => [line.split(' ')[0], line.split(' ').at(-1)])).toEqual([
    ['drwxr-xr-x', 'bin/'],
    ['-rwxr-xr-x', 'bin/hello'],
    ['drwxrwxrwt', 'tmp/'],
    ['', ''],
  ])
})

test('the same content gives the same bytes', async () => {
  const paths = [join(folder, 'one.tar'), join(folder, 'two.tar')] as const
  for (const path of paths) await writeImage(path, image)
  expect((await readFile(paths[0])).equals(await readFile(paths[1]))).toBe(true)
})

test('a name that would be cut off is refused', () => {
  const path = 'x'.repeat(101)
  expect(() => tarOf([{ kind: 'file', path, content: Buffer.alloc(0) }])).toThrow('too long a name')
})
