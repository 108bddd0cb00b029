import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLineOf } from './command-line.ts'
import { startWatchdog } from './watchdog.ts'

const idle = 'setInterval(() => {}, 1_000)'
const watchdogUrl = new URL('watchdog.ts', import.meta.url).href

/** A process that does nothing but live; its command line names what it is given. */
function startIdle(...words: string[]): number {
  const child = spawn(process.execPath, ['-e', idle, ...words], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.pid === undefined) throw new Error('no process')
  return child.pid
}

const lives = async (pid: number) => (await commandLineOf(pid)) !== ''

test('ends what it watches, and only that, when its owner is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-watchdog-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const watched = [startIdle(folder), startIdle(folder)]
  const forgotten = startIdle(folder)
  // As if the id of an ended process had gone to someone else.
  const reused = startIdle('someone else')
  const owner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { startWatchdog } from ${JSON.stringify(watchdogUrl)}
      const watchdog = startWatchdog({ folder: ${JSON.stringify(folder)}, removeFolder: true })
      for (const pid of ${JSON.stringify([...watched, forgotten, reused])}) watchdog.watch(pid)
      watchdog.forget(${forgotten})
      console.log('watching')
      ${idle}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(owner.stdout, 'data')
  expect(await Promise.all([...watched, forgotten, reused].map(lives))).toEqual([true, true, true, true])
  owner.kill('SIGKILL')
  await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false)
  expect(await Promise.all([...watched, forgotten, reused].map(lives))).toEqual([false, false, true, true])
})

test('leaves a folder that is not its own to remove', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-watchdog-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const pid = startIdle(folder)
  const watchdog = startWatchdog({ folder, removeFolder: false })
  watchdog.watch(pid)
  await watchdog.release()
  expect(await lives(pid)).toBe(false)
  expect(existsSync(folder)).toBe(true)
})
