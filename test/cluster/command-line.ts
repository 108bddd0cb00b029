import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The command line of a process; empty if there is none of that id, or if it is dead and merely not yet reaped. */
export async function commandLineOf(pid: number): Promise<string> {
  if (existsSync('/proc/self/cmdline')) {
    const content = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return content.replaceAll('\0', ' ').trim()
  }
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile('ps', ['-o', 'command=', '-p', String(pid)], (_error, stdout) => resolve(stdout.trim()))
  return promise
}
