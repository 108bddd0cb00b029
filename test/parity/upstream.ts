import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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
}

/** One cycle of the upstream descheduler, in a dry run. */
export async function runUpstream(
  policy: object,
  { binary, kubeconfigPath, folder, id }: UpstreamRun,
): Promise<Nominated[]> {
  const file = join(folder, `${id}.json`)
  await writeFile(file, JSON.stringify(policy))
  const flags = [
    `--client-connection-kubeconfig=${kubeconfigPath}`,
    `--policy-config-file=${file}`,
    '--client-connection-qps=1000',
    '--client-connection-burst=1000',
    '--dry-run',
    '--v=1',
    '--logging-format=json',
    '--secure-port=0',
  ]
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(binary, flags, { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (_error, _stdout, stderr) =>
    resolve(stderr),
  )
  return readLog(await promise)
}

interface LogLine {
  readonly msg?: string
  readonly pod?: { readonly name: string; readonly namespace: string }
  readonly node?: string
  readonly totalEvicted?: number
}

/** Without the line at its end it may have done nothing at all, and yet exit with 0. */
function readLog(log: string): Nominated[] {
  const lines = log.split('\n').flatMap((line): LogLine[] => {
    try {
      return [JSON.parse(line) as LogLine]
    } catch {
      return []
    }
  })
  const end = lines.find(({ msg }) => msg === 'Number of evictions/requests')
  if (end === undefined) throw new Error(`the upstream descheduler ran no cycle: ${log.slice(-2_000)}`)
  const found = lines.flatMap(({ msg, pod, node = '' }) =>
    msg === 'Evicted pod in dry run mode' && pod !== undefined ? [{ ...pod, node }] : [],
  )
  if (found.length !== end.totalEvicted) throw new Error(`it counts ${end.totalEvicted}, and names ${found.length}`)
  return found
}
