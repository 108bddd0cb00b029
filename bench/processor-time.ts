import { readFile } from 'node:fs/promises'

/** Milliseconds of a core that each of the processes has had so far; one that is gone is left out. */
export async function processorTimes(pids: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const [name, pid] of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    if (stat !== undefined) times.set(name, processorTimeMs(stat))
  }
  return times
}

/** Linux counts in hundredths of a second, on every machine that Node runs on. */
const tickMs = 10

/** Of `/proc/PID/stat`: time in the process and in the kernel, the 14th and 15th field. The second may hold blanks. */
export function processorTimeMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Milliseconds of a core that processes had which this one has started, and which have ended. */
export async function childrensTime(): Promise<number> {
  return childrensTimeMs(await readFile('/proc/self/stat', 'utf8'))
}

/** Of `/proc/PID/stat`: the 16th and 17th field. */
export function childrensTimeMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}

export function timeBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  return new Map([...after].map(([name, time]) => [name, time - (before.get(name) ?? 0)]))
}
