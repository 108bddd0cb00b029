import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { imageConfig, parseLibraries } from './build-image.ts'

const dockerfile = await readFile(join(import.meta.dirname, '..', 'Dockerfile'), 'utf8')

test('the Dockerfile runs the same thing as the same user', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const line = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(last)?.[1]
  expect(line('USER')).toBe(imageConfig.User)
  expect(line('WORKDIR')).toBe(imageConfig.WorkingDir)
  expect(line('ENV')).toBe(imageConfig.Env.join(' '))
  expect(JSON.parse(line('ENTRYPOINT') ?? '')).toEqual(imageConfig.Entrypoint)
  expect(line('FROM')).toBe('scratch')
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
