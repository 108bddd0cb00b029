import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'

export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'

/** One run of one component: its output goes to the end of its log file. */
export interface ComponentProcess {
  readonly pid: number
  /** How it ended, in words; undefined while it runs. */
  readonly ending: () => string | undefined
  readonly exited: Promise<void>
  signal(signal: Signal): void
}

export async function startComponentProcess(options: {
  readonly path: string
  readonly args: readonly string[]
  readonly folder: string
  readonly logPath: string
}): Promise<ComponentProcess> {
  const log = openSync(options.logPath, 'a')
  const child = spawn(options.path, options.args, {
    cwd: options.folder,
    stdio: ['ignore', log, log],
    // There is memory to spare and no time: garbage is collected when there is five times as much of it as of the rest.
    // And each request has a goroutine of its own: one that starts with a large stack need not move to a larger one.
    env: { ...process.env, GOGC: '500', GODEBUG: 'adaptivestackstart=1' },
    // Its own process group: a Ctrl-C in the terminal is for the owner, which then ends the components in order.
    detached: true,
  })
  closeSync(log)
  let ending: string | undefined
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  child.once('exit', (code, signal) => {
    ending = signal === null ? `exit code ${code ?? 'unknown'}` : signal
    resolve()
  })
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error]
    throw error
  }
  return { pid: child.pid, ending: () => ending, exited, signal: (signal) => void child.kill(signal) }
}
