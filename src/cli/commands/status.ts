import type { Command } from 'commander'
import type { DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { asCalled } from '../output/as-called.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { drainsOf, findDrain, listMaintenances, type Drain } from '../maintenance/find-maintenance.ts'
import { acceptingNamespace, connecting, outputOption, type OutputOptions } from '../flags.ts'
import { listNodeAgents, type NodeAgents } from '../maintenance/node-agents.ts'
import { isData, renderAs } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads, type ReachedCluster } from '../connect/reached-cluster.ts'
import { reportOf } from '../maintenance/status-report.ts'
import { endError, renderDrained, watchDrain } from '../view/watch-drain.ts'
import { noHistory } from '../view/drain-history.ts'
import type { DrainPicture } from '../view/drain-picture.ts'
import { drainPictures, namedNodes } from '../view/join-pictures.ts'

export interface StatusOptions extends ConnectionOptions, OutputOptions {
  readonly watch?: boolean
}

export function addStatus(program: Command, world: World): void {
  const command = program
    .command('status')
    .description('show maintenances: how far they are, what is left and what it waits for')
    .argument('[name]', 'a drain, a maintenance, or a node of it; all of them if not given')
    .option('-w, --watch', 'keep showing it live, until it is drained or over')
    .addOption(outputOption(['json', 'yaml', 'wide']))
  acceptingNamespace(connecting(command)).action((wanted: string | undefined, options: StatusOptions) =>
    status(world, wanted, options),
  )
}

export async function status(world: World, wanted: string | undefined, options: StatusOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const found =
    wanted === undefined
      ? drainsOf(await listMaintenances(cluster.kube, cluster.signal))
      : [await findDrain(cluster.kube, wanted, cluster.signal)]
  if (options.watch === true)
    return await showLive(world, cluster, wanted === undefined ? undefined : found[0], options)
  // The table of all maintenances has no nodes in it.
  const showsNodes = found.length > 0 && (wanted !== undefined || isData(options.output))
  const [pictures, agents] = await Promise.all([
    picturesOf(cluster, found),
    showsNodes ? listNodeAgents(cluster.kube, cluster.signal) : undefined,
  ])
  if (isData(options.output)) return world.print(renderAs(options.output, dataOf(found, pictures, { agents, wanted })))
  const lines = await linesOf(cluster, found, pictures, { wanted, options, agents })
  for (const line of lines) world.print(asCalled(line, world))
  if (pictures.some(isAtWork)) await warnIfNobodyLeads(world, cluster)
}

async function picturesOf({ kube, clock, signal }: ReachedCluster, found: readonly Drain[]): Promise<DrainPicture[]> {
  if (found.length === 0) return []
  const [marked, all] = await Promise.all([
    kube.list(nodes, { labelSelector: labels.underMaintenance, signal }),
    kube.list(evacuations, { signal }),
  ])
  const sights = {
    nodes: marked.items,
    expectedNodes: (maintenance: NodeMaintenance) => (isAtWork(maintenance.spec) ? namedNodes(maintenance) : []),
    evacuations: all.items,
    history: noHistory,
    sinceMs: undefined,
  }
  return drainPictures(found, sights, clock.nowMs())
}

function isAtWork({ stage }: { readonly stage: NodeMaintenance['spec']['stage'] }): boolean {
  return stage === 'Cordon' || stage === 'Drain'
}

function dataOf(
  found: readonly Drain[],
  pictures: readonly DrainPicture[],
  { agents, wanted }: Pick<Asked, 'agents' | 'wanted'>,
): unknown {
  const reports = pictures.map((picture, index) => reportOf(picture, found[index]?.maintenances ?? [], agents))
  return wanted === undefined ? { items: reports } : reports[0]
}

interface Asked {
  readonly wanted: string | undefined
  readonly options: StatusOptions
  readonly agents: NodeAgents | undefined
}

async function linesOf(
  { clock }: ReachedCluster,
  found: readonly Drain[],
  pictures: readonly DrainPicture[],
  { wanted, options, agents }: Asked,
): Promise<string[]> {
  // Not before there is a table: to measure text takes 40 ms to load, which the controller would wait for too.
  const { renderStatusDetail, renderStatusTable } = await import('../maintenance/render-status.ts')
  const nowMs = clock.nowMs()
  const [drain] = found
  const [picture] = pictures
  if (wanted === undefined || drain === undefined || picture === undefined) {
    return renderStatusTable(pictures, { wide: options.output === 'wide', nowMs })
  }
  return renderStatusDetail(picture, { targets: renderTargets(drain.maintenances), nowMs, agents })
}

/** `Default to 1000000000`, the least that holds for all nodes of a maintenance. Maintenances of one drain may differ. */
export function renderTargets(maintenances: readonly NodeMaintenance[]): string {
  const open = maintenances.filter(({ spec }) => spec.stage !== 'Complete')
  const texts = (open.length > 0 ? open : maintenances).map(({ status: current }) => {
    const reached = current?.drainStatus.reachedDrainTargets ?? []
    return reached.length === 0 ? '-' : reached.map(renderTarget).join(', ')
  })
  const [text = '-', ...others] = new Set(texts)
  return others.length === 0 ? text : 'not the same on all nodes'
}

function renderTarget({ podType, podPriority, podSelector }: DrainPlanEntry): string {
  const some = podSelector === undefined ? '' : ' with certain labels'
  return `${podType} pods${some} up to priority ${podPriority}`
}

async function showLive(
  world: World,
  cluster: ReachedCluster,
  drain: Drain | undefined,
  { output }: StatusOptions,
): Promise<void> {
  await warnIfNobodyLeads(world, cluster)
  if (drain === undefined) {
    const { watchAll } = await import('../view/watch-all.ts')
    return watchAll(world, cluster, { isWide: output === 'wide' })
  }
  const { name, isJoined } = drain
  const expectedNodes = drain.maintenances.flatMap(namedNodes)
  const options = { name, isJoined, expectedNodes, timeoutMs: 0, isQuiet: isData(output) }
  const end = await watchDrain(world, cluster, options)
  switch (end.kind) {
    case 'drained':
      if (isData(output)) {
        const agents = await listNodeAgents(cluster.kube, cluster.signal)
        return world.print(renderAs(output, reportOf(end.picture, end.maintenances, agents)))
      }
      for (const line of renderDrained(world.programName, end.picture)) world.print(line)
      return
    case 'completed':
    case 'deleted':
      return world.print(`${name} is ${end.kind}`)
    case 'timeout':
    case 'interrupted':
      throw endError(world.programName, end, 0)
  }
}
