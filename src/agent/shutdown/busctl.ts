import type { ProcessResult, ProcessRunner } from '../../kube/auth/system-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import { logindProperties, parseLocks, parseProperties, type LogindState } from './logind-state.ts'
import type { LongProcessRunner } from './long-process.ts'

/** systemd-logind, on the system bus of the node. */
export interface Logind {
  /** Rejects where it does not answer. */
  read(signal: AbortSignal): Promise<LogindState>
  /** Calls back when it is worth to read again. Resolves when the bus is gone, with why in words. */
  follow(notice: () => void, signal: AbortSignal): Promise<string>
  /** Has logind read its configuration again, some moments later. */
  reload(signal: AbortSignal): Promise<void>
}

export interface BusctlOptions {
  readonly processes: ProcessRunner
  readonly runLong: LongProcessRunner
  /** Where busctl is found, and the bus where it is not at its usual place. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

const limits = { answerWithinMs: 10_000, outputBytesMax: 1024 * 1024, complaintLengthMax: 300 }
/** Newer busctl does not say, with JSON, when it begins to see signals. What came before is found by reading once more. */
const followsAfterMs = 1_000

const flags = ['--system', '--json=short']
const manager = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager']
const systemd = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager']
const hangup = '1'

/** systemd 255 and newer sends the one with metadata too, and first. A logind that restarts has forgotten its shutdown. */
const matches = [
  ...['PrepareForShutdown', 'PrepareForShutdownWithMetadata'].map(
    (member) => `type='signal',interface='org.freedesktop.login1.Manager',member='${member}'`,
  ),
  `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.login1'`,
]

/** By the program of systemd: a library of the bus would be a dependency, and the lock needs systemd-inhibit anyway. */
export function busctlLogind({ processes, runLong, environment, clock }: BusctlOptions): Logind {
  const run = async (args: readonly string[], signal: AbortSignal): Promise<string> => {
    const late = new AbortController()
    const tooLong = new Error(`busctl did not end within ${limits.answerWithinMs / 1_000} s`)
    using _timer = clock.timer(limits.answerWithinMs, () => late.abort(tooLong))
    const request = { command: 'busctl', args: [...flags, ...args], environment, outputBytesMax: limits.outputBytesMax }
    const result = await processes.run({ ...request, signal: AbortSignal.any([signal, late.signal]) })
    if (result.kind === 'exited' && result.code === 0) return result.stdout
    throw new Error(`busctl ${args[0]}: ${wordFailure(result)}`)
  }
  return {
    read: async (signal) => {
      const properties = parseProperties(await run(['get-property', ...manager, ...logindProperties], signal))
      return { ...properties, locks: parseLocks(await run(['call', ...manager, 'ListInhibitors'], signal)) }
    },
    follow: async (notice, signal) => {
      using _timer = clock.timer(followsAfterMs, notice)
      const args = [...flags, ...matches.map((match) => `--match=${match}`), 'monitor']
      return await runLong({ command: 'busctl', args, environment, onOutput: notice, signal })
    },
    reload: async (signal) => {
      await run(['call', ...systemd, 'KillUnit', 'ssi', 'systemd-logind.service', 'main', hangup], signal)
    },
  }
}

function wordFailure(result: ProcessResult): string {
  switch (result.kind) {
    case 'notFound':
      return 'the program is not there; it is a part of systemd'
    case 'notStarted':
      return `could not be started (${result.problem})`
    case 'tooMuchOutput':
      return `wrote more than ${limits.outputBytesMax} bytes`
    case 'killed':
      return `was ended by ${result.by}`
    case 'exited':
      return result.stderr.trim().slice(0, limits.complaintLengthMax) || `exit code ${result.code}`
    default:
      return result satisfies never
  }
}
