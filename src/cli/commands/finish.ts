import type { Command } from 'commander'
import { isCompleted, nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { renderDuration } from '../output/duration.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { findMaintenance } from '../maintenance/find-maintenance.ts'
import {
  acceptingNamespace,
  connecting,
  dryRunOption,
  outputOption,
  timeoutOption,
  type DryRunOptions,
  type OutputOptions,
} from '../flags.ts'
import { follow } from '../view/follow.ts'
import { isData, renderAs } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads, type ReachedCluster } from '../connect/reached-cluster.ts'
import { waitUntil } from '../maintenance/wait-until.ts'

// The two ways to end a maintenance: completed it stays to be read, cancelled it is gone. Both give the nodes back.

export interface FinishOptions extends ConnectionOptions, DryRunOptions, OutputOptions {
  /** Milliseconds; 0 is without end. */
  readonly timeout: number
}

export function addComplete(program: Command, world: World): void {
  const description = 'end a maintenance: its nodes take pods again; waits until that is done'
  addFinish(program.command('complete').description(description), (wanted, options) => complete(world, wanted, options))
}

export function addCancel(program: Command, world: World): void {
  const description = 'undo a maintenance: evacuations are taken back, the nodes take pods again, and it is deleted'
  addFinish(program.command('cancel').description(description), (wanted, options) => cancel(world, wanted, options))
}

function addFinish(command: Command, finish: (wanted: string, options: FinishOptions) => Promise<void>): void {
  command
    .argument('<name>', 'the maintenance, or a node of it')
    .addOption(timeoutOption())
    .addOption(dryRunOption())
    .addOption(outputOption(['json', 'yaml']))
  acceptingNamespace(connecting(command)).action(finish)
}

export async function complete(world: World, wanted: string, options: FinishOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, signal } = cluster
  const before = await findMaintenance(kube, wanted, signal)
  const { name, uid } = before.metadata
  const body = { metadata: { uid }, spec: { stage: 'Complete' } }
  const isDry = options.dryRun === 'server'
  const after = await kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, { signal, dryRun: isDry })
  if (isDry) return world.print(renderAs(options.output, after))
  const isDone = (seen: NodeMaintenance | undefined) => seen === undefined || isCompleted(seen)
  const last = await untilFinished(world, cluster, { maintenance: after, isDone, verb: 'complete', options })
  if (isData(options.output)) return world.print(renderAs(options.output, last))
  world.print(`${name}: completed, its nodes take pods again unless another maintenance holds them`)
}

export async function cancel(world: World, wanted: string, options: FinishOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, signal } = cluster
  const maintenance = await findMaintenance(kube, wanted, signal)
  const { name, uid } = maintenance.metadata
  const isDry = options.dryRun === 'server'
  await kube.delete(nodeMaintenances, { name }, { signal, dryRun: isDry, preconditions: { uid } })
  if (isDry) return world.print(renderAs(options.output, maintenance))
  const isDone = (seen: NodeMaintenance | undefined) => seen === undefined || seen.metadata.uid !== uid
  await untilFinished(world, cluster, { maintenance, isDone, verb: 'cancel', options })
  if (isData(options.output)) return world.print(renderAs(options.output, maintenance))
  world.print(`${name}: cancelled and deleted, its nodes take pods again unless another maintenance holds them`)
}

interface Finishing {
  readonly maintenance: NodeMaintenance
  /** Undefined: it is gone. */
  readonly isDone: (seen: NodeMaintenance | undefined) => boolean
  readonly verb: 'complete' | 'cancel'
  readonly options: FinishOptions
}

/** The maintenance as it was last seen. */
async function untilFinished(world: World, cluster: ReachedCluster, finishing: Finishing): Promise<NodeMaintenance> {
  const { maintenance, isDone, verb, options } = finishing
  const { clock, signal } = cluster
  const { name } = maintenance.metadata
  const selection = { fieldSelector: `metadata.name=${name}` }
  await using followed = await follow(cluster, { resource: nodeMaintenances, selection, signal })
  let last = maintenance
  const look = () => {
    const seen = followed.informer.get({ name })
    last = seen ?? last
    return isDone(seen) ? 'done' : undefined
  }
  if (look() === 'done') return last
  // Only now: what is at stage Idle ends without a Lifeboat.
  await warnIfNobodyLeads(world, cluster)
  const subscribe = (notice: () => void) => followed.informer.subscribe(notice)
  const end = await waitUntil({ look, subscribe, clock, timeoutMs: options.timeout, signal })
  if (end === 'done') return last
  const advice = `watch:  ${world.programName} status ${name}`
  if (end === 'interrupted') {
    throw new CommandError(`${name} continues without you`, { advice, exitCode: exitCodes.interrupted })
  }
  const message = `${name} is not ${verb === 'complete' ? 'completed' : 'gone'} after ${renderDuration(options.timeout)} and continues`
  throw new CommandError(message, { advice, exitCode: exitCodes.timeout })
}
