import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createProgress, renderElapsed } from './progress.ts'

test.each([
  { elapsedMs: 400, expected: '0 s' },
  { elapsedMs: 59_400, expected: '59 s' },
  { elapsedMs: 61_000, expected: '1 min 1 s' },
])('renders $elapsedMs ms as $expected', ({ elapsedMs, expected }) => expect(renderElapsed(elapsedMs)).toBe(expected))

test('a long step says that it is alive, and how it ended', async () => {
  let printed = ''
  const progress = createProgress({
    write: (text) => void (printed += text),
    terminal: false,
    aliveIntervalMs: 20,
  })
  expect(await progress.step('building it', () => sleep(50, 'result'))).toBe('result')
  expect(printed).toMatch(/^building it\n(still building it, 0 s\n)+building it: done after 0 s\n$/)
  printed = ''
  await expect(progress.step('building it', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(printed).toBe('building it\nbuilding it: failed after 0 s\n')
})

test('in a terminal one line counts on', async () => {
  let printed = ''
  const progress = createProgress({ write: (text) => void (printed += text), terminal: true, aliveIntervalMs: 20 })
  await progress.step('building it', () => sleep(50))
  expect(printed).toMatch(/^building it(\rbuilding it, 0 s)+\rbuilding it: done after 0 s\n$/)
})
