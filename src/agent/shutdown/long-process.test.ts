import { expect, test } from 'vitest'
import { runLongProcess } from './long-process.ts'

const run = (args: readonly string[], onOutput: () => void, signal = new AbortController().signal) =>
  runLongProcess({ command: args[0] ?? '', args: args.slice(1), environment: process.env, onOutput, signal })

test('calls back for what it writes, and says how it ended', async () => {
  let count = 0
  const ended = await run(['sh', '-c', 'echo one; echo gone >&2; exit 3'], () => count++)
  expect(ended).toBe('gone (exit code 3)')
  expect(count).toBeGreaterThan(0)
})

test('is ended with the signal', async () => {
  const stop = new AbortController()
  const ended = run(['sh', '-c', 'echo begun; exec sleep 60'], () => stop.abort(), stop.signal)
  expect(await ended).toBe('(SIGKILL)')
  expect(await run(['true'], () => {}, stop.signal)).toBe('not started')
})

test('says that a program is not there', async () => {
  expect(await run(['/nonexistent/busctl'], () => {})).toContain('ENOENT')
})
