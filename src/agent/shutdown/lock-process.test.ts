import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockProcessIn } from './lock-process.ts'

const processes: Readonly<Record<string, readonly string[]>> = {
  '1': ['/pause'],
  '7': ['/usr/bin/systemd-inhibit', '--what=shutdown', '--mode=delay', '--who=Lifeboat', 'sleep', 'infinity'],
  '8': ['sleep', 'infinity'],
  '9': ['systemd-inhibit', '--what=shutdown', '--who=somebody', 'cat'],
  '10': ['node', 'main.ts', 'agent', '--who=Lifeboat'],
  '11': [],
}

async function openFolder() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'processes-'))
  for (const [pid, args] of Object.entries(processes)) {
    await mkdir(join(folder.path, pid))
    await writeFile(join(folder.path, pid, 'cmdline'), args.map((arg) => `${arg}\0`).join(''))
  }
  // Gone between the two looks, and what is no process.
  await mkdir(join(folder.path, '12'))
  await mkdir(join(folder.path, 'sys'))
  return folder
}

test('ends the process that holds the lock, and no other', async () => {
  await using folder = await openFolder()
  const ended: number[] = []
  expect(await lockProcessIn(folder.path, (pid) => void ended.push(pid)).end()).toBe(1)
  expect(ended).toEqual([7])
})

test.each([
  { code: 'ESRCH', expected: 1 },
  { code: 'EPERM', expected: 'EPERM' },
])('a process that cannot be ended for $code: $expected', async ({ code, expected }) => {
  await using folder = await openFolder()
  const ending = lockProcessIn(folder.path, () => {
    throw Object.assign(new Error(code), { code })
  }).end()
  expect(await ending.catch((error: Error) => error.message)).toBe(expected)
})
