import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { fakeElf } from '../test/build/fake-elf.ts'
import { isElf, parseElf } from './elf.ts'

test('a program says for which machine it is, what starts it, and what it needs in which versions', () => {
  const content = fakeElf({
    architecture: 'arm64',
    interpreter: '/lib/ld-linux-aarch64.so.1',
    needed: ['libm.so.6', 'libc.so.6'],
    runPath: '/usr/lib/a:$ORIGIN/b',
    neededVersions: { 'libm.so.6': ['GLIBC_2.27'], 'libc.so.6': ['GLIBC_2.17', 'GLIBC_ABI_DT_RELR?', 'GLIBC_2.28'] },
  })
  expect(isElf(content)).toBe(true)
  expect(parseElf(content)).toEqual({
    architecture: 'arm64',
    interpreter: '/lib/ld-linux-aarch64.so.1',
    needed: ['libm.so.6', 'libc.so.6'],
    runPath: ['/usr/lib/a', '$ORIGIN/b'],
    neededVersions: new Map([
      ['libm.so.6', ['GLIBC_2.27']],
      ['libc.so.6', ['GLIBC_2.17', 'GLIBC_2.28']],
    ]),
    versions: [],
  })
})

test('a library says which versions it offers', () => {
  const content = fakeElf({ architecture: 'amd64', versions: ['libc.so.6', 'GLIBC_2.17', 'GLIBC_2.36'] })
  const { architecture, interpreter, needed, versions } = parseElf(content)
  expect({ architecture, interpreter, needed }).toEqual({ architecture: 'amd64', interpreter: undefined, needed: [] })
  expect(versions).toEqual(['libc.so.6', 'GLIBC_2.17', 'GLIBC_2.36'])
})

describe('what is neither is refused', () => {
  const changed = (at: number, value: number) => {
    const content = fakeElf({})
    content[at] = value
    return content
  }
  test.each([
    { name: 'a text', content: Buffer.from('#!/bin/sh\n') },
    { name: 'nothing', content: Buffer.alloc(0) },
    { name: 'a text that is long', content: Buffer.alloc(200, 'a') },
    { name: 'one of 32 bits', content: changed(4, 1) },
    { name: 'one of which the last byte comes first', content: changed(5, 2) },
    { name: 'one for another machine', content: changed(18, 3) },
  ])('$name', ({ content }) => expect(() => parseElf(content)).toThrow('not a program or library for Linux'))

  test('one that refers to what it does not have', () => {
    const content = fakeElf({ needed: ['libc.so.6'] })
    content.writeBigUInt64LE(0n, 64 + 32)
    expect(() => parseElf(content)).toThrow('nothing of the file is at address')
  })
})

test.skipIf(process.platform !== 'linux')('the Node that runs this is read as it was linked', async () => {
  const elf = parseElf(await readFile(process.execPath))
  expect(elf.architecture).toBe(process.arch === 'x64' ? 'amd64' : 'arm64')
  expect(elf.interpreter).toMatch(/^\/lib(64)?\/ld-linux-[a-z0-9-]+\.so\.\d$/)
  expect(elf.needed).toContain('libc.so.6')
  expect(elf.neededVersions.get('libc.so.6')).toContain('GLIBC_2.28')
})
