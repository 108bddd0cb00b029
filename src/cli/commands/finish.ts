import type { Command } from 'commander'
import { isCompleted, nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { renderDuration } from '../output/duration.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import { counting } from '../output/counting.ts'
import { CommandError, exitCodes, explainFailure } from '../output/errors.ts'
import { inTurn } from '../maintenance/begin-maintenance.ts'
import { findDrain, selectionOf, type Drain } from '../maintenance/find-maintenance.ts'
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
import { isData, renderObjects } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads, type ReachedCluster } from '../connect/reached-cluster.ts'
import { waitUntil } from '../maintenance/wait-until.ts'

// The two ways to end a maintenance, or all of a drain: completed it stays to be read, cancelled it is gone. Both give the nodes back.

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
    .argument('<name>', 'the drain, the maintenance, or a node of it')
    .addOption(timeoutOption())
    .addOption(dryRunOption())
    .addOption(outputOption(['json', 'yaml']))
  acceptingNamespace(connecting(command)).action(finish)
}

export async function complete(world: World, wanted: string, options: FinishOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, signal } = cluster
  const drain = await findDrain(kube, wanted, signal)
  const isDry = options.dryRun === 'server'
  const after = await each(drain, 'complete', async ({ metadata: { name, uid } }) => {
    const body = { metadata: { uid }, spec: { stage: 'Complete' } }
    return await kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, { signal, dryRun: isDry })
  })
  if (isDry) return world.print(renderObjects(options.output, after, drain.isJoined))
  const isDone = (_: NodeMaintenance, seen: NodeMaintenance | undefined) => seen === undefined || isCompleted(seen)
  const last = await untilFinished(world, cluster, { drain, isDone, verb: 'complete', options })
  if (isData(options.output)) return world.print(renderObjects(options.output, last, drain.isJoined))
  world.print(`${drain.name}: completed, ${givenBack(drain)}`)
}

export async function cancel(world: World, wanted: string, options: FinishOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, signal } = cluster
  const drain = await findDrain(kube, wanted, signal)
  const isDry = options.dryRun === 'server'
  await each(drain, 'cancel', async ({ metadata: { name, uid } }) => {
    const deleting = kube.delete(nodeMaintenances, { name }, { signal, dryRun: isDry, preconditions: { uid } })
    // Of several, one that has gone meanwhile is what was wanted.
    await (drain.isJoined ? unlessNotFound(deleting) : deleting)
  })
  const shown = () => world.print(renderObjects(options.output, drain.maintenances, drain.isJoined))
  if (isDry) return shown()
  const isDone = ({ metadata }: NodeMaintenance, seen: NodeMaintenance | undefined) =>
    seen?.metadata.uid !== metadata.uid
  await untilFinished(world, cluster, { drain, isDone, verb: 'cancel', options })
  if (isData(options.output)) return shown()
  world.print(`${drain.name}: cancelled and deleted, ${givenBack(drain)}`)
}

function givenBack({ maintenances }: Drain): string {
  const nodes = maintenances.length > 1 ? `the nodes of ${counting(maintenances.length, 'maintenance')}` : 'its nodes'
  return `${nodes} take pods again unless another maintenance holds them`
}

/** A failure in the middle says how far it came; the same command again does the rest. */
async function each<Done>(
  { name, isJoined, maintenances }: Drain,
  verb: Finishing['verb'],
  write: (maintenance: NodeMaintenance) => Promise<Done>,
): Promise<Done[]> {
  let done = 0
  try {
    return await inTurn(maintenances, async (maintenance) => {
      const result = await write(maintenance)
      done++
      return result
    })
  } catch (error) {
    if (!isJoined || done === 0) throw error
    const { message, advice, exitCode } = explainFailure(error)
    throw new CommandError(
      `${message}; ${done} of ${counting(maintenances.length, 'maintenance')} of ${name} are done`,
      {
        advice: `${advice} \`lifeboat ${verb} ${name}\` again does the rest.`,
        exitCode,
        cause: error,
      },
    )
  }
}

interface Finishing {
  readonly drain: Drain
  /** `seen` undefined: it is gone. */
  readonly isDone: (maintenance: NodeMaintenance, seen: NodeMaintenance | undefined) => boolean
  readonly verb: 'complete' | 'cancel'
  readonly options: FinishOptions
}

/** The maintenances as they were last seen. */
async function untilFinished(world: World, cluster: ReachedCluster, finishing: Finishing): Promise<NodeMaintenance[]> {
  const { drain, isDone, verb, options } = finishing
  const { clock, signal } = cluster
  const { name } = drain
  await using followed = await follow(cluster, { resource: nodeMaintenances, selection: selectionOf(drain), signal })
  const last = new Map(drain.maintenances.map((maintenance) => [maintenance.metadata.name, maintenance]))
  const look = () => {
    const open = drain.maintenances.filter((maintenance) => {
      const seen = followed.informer.get({ name: maintenance.metadata.name })
      if (seen !== undefined) last.set(seen.metadata.name, seen)
      return !isDone(maintenance, seen)
    })
    return open.length === 0 ? 'done' : undefined
  }
  if (look() === 'done') return [...last.values()]
  // Only now: what is at stage Idle ends without a Lifeboat.
  await warnIfNobodyLeads(world, cluster)
  const subscribe = (notice: () => void) => followed.informer.subscribe(notice)
  const end = await waitUntil({ look, subscribe, clock, timeoutMs: options.timeout, signal })
  if (end === 'done') return [...last.values()]
  const advice = `watch:  ${world.programName} status ${name}`
  if (end === 'interrupted') {
    throw new CommandError(`${name} continues without you`, { advice, exitCode: exitCodes.interrupted })
  }
  const message = `${name} is not ${verb === 'complete' ? 'completed' : 'gone'} after ${renderDuration(options.timeout)} and continues`
  throw new CommandError(message, { advice, exitCode: exitCodes.timeout })
}
