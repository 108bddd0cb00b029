import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { openShell } from './docs/shell.ts'

const options = { folder: tmpdir(), env: process.env }

test('what one block sets, the next one has', async () => {
  await using shell = openShell(options)
  expect(await shell.run('NODE=node-1\necho "on $NODE"')).toBe('on node-1\n')
  expect(await shell.run('cat\necho "still on $NODE" >&2')).toBe('still on node-1\n')
})

test('the first command that fails ends it, with all that was printed', async () => {
  await using shell = openShell(options)
  await expect(shell.run('echo before\nls /no/such/folder\necho after')).rejects.toThrow(/before\n.*no such file/i)
  await expect(shell.run('echo more')).rejects.toThrow('ended with')
})

test('a command that takes too long is ended', async () => {
  await using shell = openShell(options)
  await expect(shell.run('sleep 60', 200)).rejects.toThrow('ended with SIGKILL')
})
