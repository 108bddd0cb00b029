import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { lockOwner } from './decide-shutdown.ts'

/** The process of the pod that holds the delay lock. */
export interface LockProcess {
  /** Ends it, wherever it is; logind frees the lock then. Resolves with how many there were. */
  end(): Promise<number>
}

/** Sends SIGKILL. */
export type EndProcess = (pid: number) => void

/** `folder` is /proc of the PID namespace that the containers of the pod share. */
export function lockProcessIn(folder: string, endProcess: EndProcess): LockProcess {
  return {
    end: async () => {
      const pids = (await readdir(folder)).filter((name) => /^\d+$/.test(name))
      const found = await Promise.all(pids.map(async (pid) => ((await isLock(join(folder, pid))) ? [Number(pid)] : [])))
      const locks = found.flat()
      for (const pid of locks) endUnlessGone(endProcess, pid)
      return locks.length
    },
  }
}

async function isLock(processFolder: string): Promise<boolean> {
  try {
    const [program = '', ...args] = (await readFile(join(processFolder, 'cmdline'), 'utf8')).split('\0')
    return basename(program) === 'systemd-inhibit' && args.includes(`--who=${lockOwner}`)
  } catch {
    // It ended between the two looks.
    return false
  }
}

function endUnlessGone(endProcess: EndProcess, pid: number): void {
  try {
    endProcess(pid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
