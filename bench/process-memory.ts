import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const megabyte = 1_000_000
const run = promisify(execFile)

/** What is resident, in megabytes. */
export async function memoryOf(pid: number): Promise<number> {
  const kibibytes = existsSync(`/proc/${pid}/status`)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    : (await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout
  return (Number(kibibytes) * 1_024) / megabyte
}

/** What was resident at its highest, since it began. Linux alone tells. */
export async function peakMemoryOf(pid: number): Promise<number> {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1_024) / megabyte
}

/** What its metrics tell. */
export async function heapOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]) / megabyte
}
