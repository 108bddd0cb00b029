import { Agent } from '../../agent/agent.ts'
import { leave } from '../../agent/leave.ts'
import { budgetFile, budgetFilePath } from '../../agent/shutdown/budget-file.ts'
import { busctlLogind } from '../../agent/shutdown/busctl.ts'
import { lockProcessIn } from '../../agent/shutdown/lock-process.ts'
import { runLongProcess } from '../../agent/shutdown/long-process.ts'
import { ShutdownKeeper } from '../../agent/shutdown/shutdown-keeper.ts'
import { manifestFolder } from '../../agent/static-pods/manifest-folder.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { systemFiles, systemProcesses } from '../../kube/auth/system-files.ts'
import type { Log } from '../../runtime/log.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { openConnectionOfPod, type ConnectionOptions } from '../connect/connection.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { openLog, signalOf } from './lifeboat-process.ts'
import { connectPatiently } from '../connect/patient-connection.ts'
import type { World } from '../program.ts'
import { adminClient } from './run.ts'
import type { LogLevel } from '../connect/settings.ts'

export interface AgentCommandOptions extends ConnectionOptions {
  readonly node: string
  readonly podName: string
  readonly podUid: string
  readonly namespace: string
  readonly daemonSet: string
  /** Undefined: it does not look after static pods. */
  readonly manifests?: string
  /** Whether it looks after shutdowns of the machine. */
  readonly shutdown?: boolean
  /** In milliseconds, as the next. */
  readonly shutdownBudget: number
  readonly shutdownLeadTime: number
  readonly logLevel: LogLevel
  readonly verbose?: boolean
}

const bootIdPath = '/proc/sys/kernel/random/boot_id'
/** Less than a pod has by default to end. */
const leaveWithinMs = 20_000

/** `lifeboat agent`: what of KEP-4212 can only be done on the node itself. */
export async function agent(world: World, options: AgentCommandOptions): Promise<void> {
  const signal = signalOf(world)
  const log = openLog(options)
  const { namespace, node, daemonSet } = options
  const manifests = options.manifests === undefined ? undefined : manifestFolder(options.manifests, node)
  const bootID = await readBootId()
  const shutdown = options.shutdown === true ? openShutdownKeeper(options, bootID, log) : undefined
  const preparing = shutdown?.prepare(signal)
  const waiting = { clock: systemClock, random: systemRandom, log, signal }
  await using connection = await connectPatiently(() => openConnectionOfPod(options, signal), waiting)
  await preparing
  const kube = adminClient(connection.transport)
  const running = new Agent({
    kube,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: noKubeMetrics,
    namespace,
    node,
    pod: { name: options.podName, uid: options.podUid },
    bootID,
    manifests,
    shutdown,
  })
  world.print(`ready on node ${node} of Kubernetes ${connection.serverVersion}`)
  await running.run(signal)
  const late = new AbortController()
  using _timer = systemClock.timer(leaveWithinMs, () => late.abort(new Error('there is no time left')))
  const isLeaving = await leave({ kube, namespace, node, daemonSet, manifests, shutdown }, late.signal)
  log.info({ node }, isLeaving ? 'left the node for good, with everything put back' : 'ends; parked manifests stay')
}

function openShutdownKeeper(options: AgentCommandOptions, bootID: string, log: Log): ShutdownKeeper {
  const [clock, random] = [systemClock, systemRandom]
  return new ShutdownKeeper({
    logind: busctlLogind({
      processes: systemProcesses,
      runLong: runLongProcess,
      environment: process.env,
      clock,
    }),
    lock: lockProcessIn('/proc', (pid) => void process.kill(pid, 'SIGKILL')),
    file: budgetFile(budgetFilePath),
    clock,
    random,
    log,
    bootID,
    settings: { leadTimeMs: options.shutdownLeadTime, budgetWantedMs: options.shutdownBudget },
  })
}

async function readBootId(): Promise<string> {
  try {
    return (await systemFiles.readText(bootIdPath)).trim()
  } catch (error) {
    throw new CommandError(`cannot read ${bootIdPath}: ${error instanceof Error ? error.message : String(error)}`, {
      advice: 'The agent runs on Linux nodes.',
      exitCode: exitCodes.usage,
    })
  }
}
