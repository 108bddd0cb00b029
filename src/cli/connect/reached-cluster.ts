import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { silentLog } from '../../runtime/log.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { openConnection, type ConnectionOptions } from './connection.ts'
import { readLeader, renderLeaderWarning } from './leader.ts'
import { signalOf } from '../commands/lifeboat-process.ts'
import type { World } from '../program.ts'
import { adminClient } from '../commands/run.ts'
import { tellingWarnings } from '../output/warnings.ts'

/** A cluster that a command talks to, as the user that called it. */
export interface ReachedCluster extends AsyncDisposable, InformerParts {
  readonly server: string
  /** Of Kubernetes. */
  readonly serverVersion: string
  /** Of the context. */
  readonly namespace: string
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal
}

export async function reachCluster(world: World, options: ConnectionOptions): Promise<ReachedCluster> {
  const signal = signalOf(world)
  const connection = await openConnection(options, signal)
  return {
    kube: adminClient(tellingWarnings(connection.transport, (text) => world.printError(`warning: ${text}`))),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noKubeMetrics,
    server: connection.access.server,
    serverVersion: connection.serverVersion,
    namespace: connection.access.namespace,
    signal,
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

/** A user should not wait for a Lifeboat that is not there without knowing it. */
export async function warnIfNobodyLeads(world: World, { kube, clock, signal }: ReachedCluster): Promise<void> {
  const warning = renderLeaderWarning(await readLeader(kube, clock.nowMs(), signal), world.programName)
  if (warning !== undefined) world.printError(warning)
}
