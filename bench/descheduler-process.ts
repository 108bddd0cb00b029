import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { UpstreamCycles, lifeboatCycle, type CycleLine } from './cycle-lines.ts'

/** A descheduler that runs, and the cycles that it tells of. */
export interface DeschedulerProcess extends AsyncDisposable {
  readonly pid: number
  readonly cycles: AsyncIterable<CycleLine>
  /** Where its metrics are; empty if nowhere. */
  readonly url: string
}

export interface Deschedulers {
  readonly kubeconfigPath: string
  readonly policyPath: string
  readonly intervalMs: number
  readonly dryRun: boolean
}

/** As the chart runs it. */
export const nodeOptions = ['--max-old-space-size=768', '--max-semi-space-size=32'] as const

/** `program` is the bundle, or the source of the command line. */
export function startOurs(program: string, options: Deschedulers & { readonly port?: number }): DeschedulerProcess {
  const { kubeconfigPath, policyPath, intervalMs, dryRun, port } = options
  const url = port === undefined ? '' : `http://127.0.0.1:${port}`
  const words = [
    ...nodeOptions,
    program,
    'descheduler',
    '--kubeconfig',
    kubeconfigPath,
    '--policy-config-file',
    policyPath,
    '--descheduling-interval',
    `${intervalMs}ms`,
    '--namespace',
    'default',
    ...(dryRun ? ['--dry-run'] : []),
    ...(port === undefined ? [] : ['--listen', `127.0.0.1:${port}`]),
  ]
  return running(spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] }), lifeboatCycle, url)
}

export function startUpstream(binary: string, options: Deschedulers): DeschedulerProcess {
  const { kubeconfigPath, policyPath, intervalMs, dryRun } = options
  const words = [
    `--client-connection-kubeconfig=${kubeconfigPath}`,
    `--policy-config-file=${policyPath}`,
    // Its own limits of requests are not what is measured.
    '--client-connection-qps=1000',
    '--client-connection-burst=1000',
    `--descheduling-interval=${intervalMs}ms`,
    ...(dryRun ? ['--dry-run'] : []),
    '--v=1',
    '--logging-format=json',
    '--secure-port=0',
  ]
  const cycles = new UpstreamCycles()
  return running(spawn(binary, words, { stdio: ['ignore', 'ignore', 'pipe'] }), (line) => cycles.read(line), '')
}

const rememberedLines = 20

function running(child: ChildProcess, read: (line: string) => CycleLine | undefined, url: string): DeschedulerProcess {
  const ended = once(child, 'close')
  const { stderr } = child
  if (stderr === null) throw new Error('stderr is piped')
  const cycles = async function* () {
    const last: string[] = []
    for await (const line of createInterface({ input: stderr })) {
      last.push(line)
      if (last.length > rememberedLines) last.shift()
      const cycle = read(line)
      if (cycle !== undefined) yield cycle
    }
    throw new Error(`the descheduler ended: ${last.join('\n')}`)
  }
  return {
    pid: child.pid ?? 0,
    cycles: cycles(),
    url,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
