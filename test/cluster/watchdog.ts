import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLineOf } from './command-line.ts'
import { cleanUpRealNode, hadRealNode } from './kubelet/clean-up.ts'

// Ends a cluster whose owner is gone. It is a process of its own that reads from a pipe which only the owner holds: the
// system closes that pipe however the owner ends, and then every process that the watchdog was told of is killed.

export interface Watchdog {
  watch(pid: number): void
  forget(pid: number): void
  /** Lets it go: it ends what it still watches, and then itself. */
  release(): Promise<void>
}

export interface WatchdogOptions {
  /** A process is only ended if its command line names this folder: by then its id may be someone else's. */
  readonly folder: string
  readonly removeFolder: boolean
}

export function startWatchdog(options: WatchdogOptions): Watchdog {
  const child = spawn(
    process.execPath,
    [import.meta.filename, options.folder, options.removeFolder ? 'remove' : 'keep'],
    // Detached, so that a Ctrl-C in the terminal does not end the one process that cleans up after it.
    { stdio: ['pipe', 'ignore', 'inherit'], detached: true, env: {} },
  )
  const exited = once(child, 'exit')
  // Without a reader the pipe breaks; the cluster then merely lacks its watchdog.
  child.stdin.on('error', () => {})
  return {
    watch: (pid) => void child.stdin.write(`watch ${pid}\n`),
    forget: (pid) => void child.stdin.write(`forget ${pid}\n`),
    release: async () => {
      child.stdin.end()
      await exited
    },
  }
}

const killedWithinMs = 10_000

async function keepWatch({ folder, removeFolder }: WatchdogOptions): Promise<void> {
  const pids = new Set<number>()
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, pid] = line.split(' ')
    if (verb === 'watch') pids.add(Number(pid))
    else pids.delete(Number(pid))
  }
  const isOurs = async (pid: number) => (await commandLineOf(pid)).includes(folder)
  const deadlineMs = Date.now() + killedWithinMs
  for (const pid of pids) {
    if (await isOurs(pid)) process.kill(pid, 'SIGKILL')
  }
  for (const pid of pids) {
    while ((await isOurs(pid)) && Date.now() < deadlineMs) await sleep(50)
  }
  if (await hadRealNode(folder)) await cleanUpRealNode(folder)
  if (removeFolder) await rm(folder, { recursive: true, force: true })
}

if (import.meta.main) {
  const [, , folder, rule] = process.argv
  if (folder === undefined) throw new Error('the watchdog needs the folder of its cluster')
  await keepWatch({ folder, removeFolder: rule === 'remove' })
}
