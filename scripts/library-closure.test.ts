import { expect, test } from 'vitest'
import { type FakeElf, fakeElf } from '../test/build/fake-elf.ts'
import { librariesOf } from './library-closure.ts'

const interpreter = '/lib/ld-linux-aarch64.so.1'
const libc = { versions: ['GLIBC_2.17', 'GLIBC_2.28'] }

/** The libraries of these programs, of a system with these files. */
function closure(programs: Readonly<Record<string, FakeElf>>, system: Readonly<Record<string, FakeElf>>) {
  const files = Object.entries(programs).map(([path, elf]) => ({ path, content: fakeElf(elf) }))
  const read = async (path: string) => {
    const elf = system[path]
    return elf === undefined ? undefined : fakeElf(elf)
  }
  return librariesOf(files, 'arm64', read)
}

test('libraries of libraries come too, each once, with what starts the program where programs look for it', async () => {
  const found = await closure(
    {
      'usr/bin/node': {
        interpreter,
        needed: ['libstdc++.so.6', 'libc.so.6'],
        neededVersions: { 'libc.so.6': ['GLIBC_2.28'] },
      },
    },
    {
      'lib/aarch64-linux-gnu/libc.so.6': { ...libc, needed: ['ld-linux-aarch64.so.1'] },
      'usr/lib/aarch64-linux-gnu/libstdc++.so.6': { needed: ['libc.so.6', 'libm.so.6'] },
      'usr/lib/libm.so.6': { needed: ['libc.so.6'] },
      // As of Debian 13, which has it nowhere else.
      'usr/lib/ld-linux-aarch64.so.1': {},
    },
  )
  expect(found.map(({ path }) => path)).toEqual([
    'lib/aarch64-linux-gnu/libc.so.6',
    'lib/ld-linux-aarch64.so.1',
    'usr/lib/aarch64-linux-gnu/libstdc++.so.6',
    'usr/lib/libm.so.6',
  ])
  expect(found.every(({ executable }) => executable === true)).toBe(true)
})

test.each(['/usr/lib/aarch64-linux-gnu/systemd', '$ORIGIN/../lib/aarch64-linux-gnu/systemd'])(
  'a program may say where its libraries are: %s',
  async (runPath) => {
    const path = 'usr/lib/aarch64-linux-gnu/systemd/libsystemd-shared-252.so'
    const busctl = { needed: ['libsystemd-shared-252.so'], runPath }
    expect(await closure({ 'usr/bin/busctl': busctl }, { [path]: {} })).toMatchObject([{ path }])
  },
)

test.each([
  {
    name: 'a library that no package has',
    system: {},
    says: 'node needs libc.so.6, which none of the packages has',
  },
  {
    name: 'a library for another machine',
    system: { 'lib/aarch64-linux-gnu/libc.so.6': { ...libc, architecture: 'amd64' } },
    says: 'lib/aarch64-linux-gnu/libc.so.6 is for amd64, and the image is for arm64',
  },
  {
    name: 'a library that is too old',
    system: { 'lib/aarch64-linux-gnu/libc.so.6': { versions: ['GLIBC_2.17'] } },
    says: 'node needs libc.so.6 with GLIBC_2.28: take the packages of a newer release of Debian',
  },
] as const)('$name is refused', async ({ system, says }) => {
  const node = { needed: ['libc.so.6'], neededVersions: { 'libc.so.6': ['GLIBC_2.17', 'GLIBC_2.28'] } }
  await expect(closure({ 'usr/bin/node': node }, system)).rejects.toThrow(says)
})
