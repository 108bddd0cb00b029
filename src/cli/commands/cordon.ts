import type { Command } from 'commander'
import { beginMaintenance, renderBegun } from '../maintenance/begin-maintenance.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { findNodes, parseNodeChoice } from '../maintenance/find-nodes.ts'
import {
  acceptingNamespace,
  connecting,
  dryRunOption,
  outputOption,
  type DryRunOptions,
  type OutputOptions,
} from '../flags.ts'
import { isData, renderAs } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads } from '../connect/reached-cluster.ts'

export interface CordonOptions extends ConnectionOptions, DryRunOptions, OutputOptions {
  readonly selector?: string
  readonly reason?: string
  readonly name?: string
}

export function addCordon(program: Command, world: World): void {
  const command = program
    .command('cordon')
    .description('keep new pods off nodes, and leave those that are there; drain continues from here')
    .argument('[nodes...]', 'names of the nodes')
    .option('-l, --selector <labels>', 'the nodes with these labels instead, as kubectl selects')
    .option('--reason <text>', 'why, for people; it shows up in messages')
    .option('--name <name>', 'of the maintenance; made of the nodes if not given')
    .addOption(dryRunOption())
    .addOption(outputOption(['json', 'yaml']))
  acceptingNamespace(connecting(command)).action((nodes: string[], options: CordonOptions) =>
    cordon(world, nodes, options),
  )
}

export async function cordon(world: World, names: readonly string[], options: CordonOptions): Promise<void> {
  const choice = parseNodeChoice(names, options.selector)
  await using cluster = await reachCluster(world, options)
  const nodes = await findNodes(cluster.kube, choice, cluster.signal)
  const { name, reason, output } = options
  const isDry = options.dryRun === 'server'
  const wanted = { stage: 'Cordon' as const, nodeSelector: choice.nodeSelector, nodes, name, reason }
  const begun = await beginMaintenance(cluster, wanted, { isDry })
  if (isData(output) || isDry) {
    if (!isData(output)) world.printError(renderBegun(begun, isDry))
    return world.print(renderAs(output, begun.maintenance))
  }
  world.print(renderBegun(begun, isDry))
  await warnIfNobodyLeads(world, cluster)
  const given = options.selector === undefined ? names.join(' ') : `-l ${JSON.stringify(options.selector)}`
  world.print(`drain: ${world.programName} drain ${given}`)
  world.print(`undo:  ${world.programName} cancel ${begun.maintenance.metadata.name}`)
}
