import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A pod that a descheduler would send away. */
export interface Nominated {
  readonly namespace: string
  readonly name: string
  readonly node: string
}

export interface UpstreamRun {
  readonly binary: string
  readonly kubeconfigPath: string
  readonly folder: string
  readonly id: string
  readonly intervalMs: number
  /** What two cycles must have in common to be believed. */
  readonly summaryOf: (named: readonly Nominated[]) => unknown
}

const limits = { cyclesMax: 20, timeoutMs: 60_000, logLengthMax: 3_000 }

/**
 * Cycles of the upstream descheduler in a dry run, until two in a row agree. A dry run looks at a copy of the cluster,
 * and the first cycle does not wait until the copy is complete.
 */
export async function runUpstream(policy: object, run: UpstreamRun): Promise<Nominated[]> {
  const file = join(run.folder, `${run.id}.json`)
  await writeFile(file, JSON.stringify(policy))
  const flags = [
    `--client-connection-kubeconfig=${run.kubeconfigPath}`,
    `--policy-config-file=${file}`,
    '--client-connection-qps=1000',
    '--client-connection-burst=1000',
    `--descheduling-interval=${run.intervalMs}ms`,
    '--dry-run',
    '--v=1',
    '--logging-format=json',
    '--secure-port=0',
  ]
  const child = spawn(run.binary, flags, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limits.timeoutMs,
    killSignal: 'SIGKILL',
    // It works in many threads, and next to nothing of it is worth a second one.
    env: { ...process.env, GOMAXPROCS: '2', GOGC: 'off' },
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    return await believedOf(createInterface({ input: child.stderr }), run.summaryOf)
  } finally {
    child.kill('SIGKILL')
    await exited
    await rm(file, { force: true })
  }
}

interface LogLine {
  readonly msg?: string
  readonly pod?: { readonly name: string; readonly namespace: string }
  readonly node?: string
  readonly totalEvicted?: number
}

async function believedOf(lines: AsyncIterable<string>, summaryOf: UpstreamRun['summaryOf']): Promise<Nominated[]> {
  let log = ''
  let named: Nominated[] = []
  let cycles = 0
  let before: string | undefined
  for await (const text of lines) {
    log = `${log}${text}\n`.slice(-limits.logLengthMax)
    const { msg, pod, node = '', totalEvicted } = parsed(text)
    if (msg === 'Evicted pod in dry run mode' && pod !== undefined) named.push({ ...pod, node })
    if (msg !== 'Number of evictions/requests') continue
    // A cycle that could not be finished leaves pods behind that the next one does not count.
    const summary = named.length === totalEvicted ? JSON.stringify(summaryOf(named)) : undefined
    if (summary !== undefined && summary === before) return named
    before = summary
    named = []
    if (++cycles === limits.cyclesMax) throw new Error(`the upstream descheduler changes its mind: ${log}`)
  }
  throw new Error(`the upstream descheduler ran no cycle: ${log}`)
}

function parsed(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine
  } catch {
    return {}
  }
}
