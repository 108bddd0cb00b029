import { expect, test } from 'vitest'
import { architectureOf, runtimeEntries, toolEntries, withFolders } from './image-layers.ts'
import { modeOf } from './image-archive.ts'

const content = Buffer.from('x')
const file = (path: string) => ({ path, content, executable: true })

test.each([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
  ['ppc64', undefined],
])('what Node calls %s is %s in images', (name, expected) => expect(architectureOf(name)).toBe(expected))

test('each folder comes once, before what is in it', () => {
  const entries = withFolders([file('usr/lib/a/b'), file('usr/lib/c')], [{ kind: 'folder', path: 'tmp' }])
  expect(entries.map(({ path }) => path)).toEqual(['usr', 'usr/lib', 'usr/lib/a', 'tmp', 'usr/lib/a/b', 'usr/lib/c'])
})

test('a layer of tools has no library that a layer below has', () => {
  const below = runtimeEntries(content, [file('lib/libc.so.6')])
  const entries = toolEntries([file('usr/bin/sleep')], [file('lib/libc.so.6'), file('lib/libcap.so.2')], below)
  const files = entries.filter(({ kind }) => kind === 'file')
  expect(files.map(({ path }) => path)).toEqual(['lib/libcap.so.2', 'usr/bin/sleep'])
})

test('every user may read and run what there is, and write to /tmp alone', () => {
  const modes = runtimeEntries(content, [file('lib/libc.so.6')]).map(
    (entry) => [entry.path, (modeOf(entry) & 0o7).toString(8)] as const,
  )
  expect(Object.fromEntries(modes)).toEqual({
    etc: '5',
    lib: '5',
    usr: '5',
    'usr/bin': '5',
    tmp: '7',
    'usr/bin/node': '5',
    'etc/passwd': '4',
    'etc/group': '4',
    'lib/libc.so.6': '5',
  })
})
