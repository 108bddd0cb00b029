import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { concealSecrets } from '../../admission/serving/path-secret.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { openHealthListener } from '../../manager/run/health-listener.ts'
import { openManager, type ManagerOptions } from '../../manager/run/manager.ts'
import { planOfPriorities } from '../../maintenance/shutdown/shutdown-settings.ts'
import type { Log } from '../../runtime/log.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { renderAddress, type Address } from '../../runtime/listen.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { InterruptedError } from '../output/errors.ts'
import type { World } from '../program.ts'
import { listening } from '../connect/listening.ts'
import type { LogLevel } from '../connect/settings.ts'

/** What `run` and `controller` have in common. */
export interface ProcessOptions {
  readonly featureGates: FeatureGates
  readonly controllerEvictTimeout: number
  /** Ascending; empty: the default plan. */
  readonly shutdownPodPriorities: readonly number[]
  readonly completeAfterReboot?: boolean
  readonly webhookPort: number
  /** Undefined: neither metrics nor health. */
  readonly listen: Address | undefined
  readonly logLevel: LogLevel
  readonly verbose?: boolean
}

interface LogSink {
  write(line: string): unknown
}

/** Errors of the API server name webhooks by their URLs, and any line may quote one: so each is looked through. */
export function openLog(
  { logLevel, verbose }: Pick<ProcessOptions, 'logLevel' | 'verbose'>,
  sink: LogSink = pino.destination({ fd: 2, sync: true }),
): Log {
  const write = (line: string) => void sink.write(concealSecrets(line))
  return pino({ level: verbose === true ? 'debug' : logLevel, base: {} }, { write })
}

/** Aborts at Ctrl-C, or when the process is asked to end in another way. */
export function signalOf(world: World): AbortSignal {
  const stop = new AbortController()
  void world.untilInterrupted().then(() => stop.abort(new InterruptedError()))
  return stop.signal
}

type Places = Pick<
  ManagerOptions,
  'transport' | 'urgentTransport' | 'registrar' | 'webhooks' | 'namespace' | 'log' | 'descheduling'
>

/** Runs a manager until the signal aborts. Rejects if it does not get ready within the time, where one is given. */
export async function runManager(
  world: World,
  options: ProcessOptions,
  places: Places & {
    readonly readyWithinMs?: number
    readonly about: string
    /** What /readyz asks for: a Service leads only to those who are ready, so behind one it cannot ask to be reached. */
    readonly readyWhen: 'reached' | 'reachable'
  },
  interrupted: AbortSignal,
): Promise<void> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { about, readyWithinMs, readyWhen, ...rest } = places
  await using manager = await openManager({
    ...rest,
    clock: systemClock,
    random: systemRandom,
    gates: options.featureGates,
    identity: `${hostname()}_${randomUUID()}`,
    registry,
    controllerEvictTimeoutMs: options.controllerEvictTimeout,
    shutdowns: {
      completeAfterReboot: options.completeAfterReboot === true,
      drainPlan: planOfPriorities(options.shutdownPodPriorities),
    },
  })
  const { listen } = options
  const missing = () => (readyWhen === 'reached' ? manager.missing() : manager.missingToBeReached())
  await using health =
    listen === undefined
      ? undefined
      : await listening('--listen', listen, openHealthListener({ ...listen, registry, missing }))
  if (health !== undefined) rest.log.info({ host: listen?.host, port: health.port }, 'health and metrics are served')
  const stopped = untilAborted(interrupted)
  const late = Promise.withResolvers<'late'>()
  using _timer = systemClock.timer(readyWithinMs ?? Number.MAX_SAFE_INTEGER, () => late.resolve('late'))
  const first = await Promise.race([
    manager.ready().then(() => 'ready' as const),
    late.promise,
    stopped.then(() => 'stopped' as const),
    manager.failed,
  ])
  if (first === 'late') throw new InstallationError(`not ready: ${manager.missing().join('; ')}`)
  if (first === 'stopped') return
  world.print(`ready ${about}${health === undefined ? '' : `, metrics and health at ${urlOf(listen, health.port)}`}`)
  await Promise.race([stopped, manager.failed])
}

function urlOf(listen: Address | undefined, port: number): string {
  return `http://${renderAddress({ host: listen?.host ?? '', port })}`
}
