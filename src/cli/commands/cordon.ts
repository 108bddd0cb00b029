import type { Command } from 'commander'
import { beginDrain, renderBegun } from '../maintenance/begin-maintenance.ts'
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
import { isData } from '../output/output.ts'
import { renderBegunAs } from './drain.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads } from '../connect/reached-cluster.ts'

export interface CordonOptions extends ConnectionOptions, DryRunOptions, OutputOptions {
  readonly selector?: string
  readonly reason?: string
  readonly name?: string
  readonly together?: boolean
}

export function addCordon(program: Command, world: World): void {
  const command = program
    .command('cordon')
    .description('keep new pods off nodes, and leave those that are there; drain continues from here')
    .argument('[nodes...]', 'names of the nodes')
    .option('-l, --selector <labels>', 'the nodes with these labels instead, as kubectl selects')
    .option('--reason <text>', 'why, for people; it shows up in messages')
    .option('--name <name>', 'of the drain that this begins; made of the nodes if not given')
    .option('--together', 'one maintenance for all nodes, to be drained in lock-step')
    .addOption(dryRunOption())
    .addOption(outputOption(['json', 'yaml']))
  acceptingNamespace(connecting(command)).action((nodes: string[], options: CordonOptions) =>
    cordon(world, nodes, options),
  )
}

export async function cordon(world: World, names: readonly string[], options: CordonOptions): Promise<void> {
  const { name, reason, output, selector: selectorText, together: isTogether = false } = options
  const choice = parseNodeChoice(names, selectorText, { isTogether })
  await using cluster = await reachCluster(world, options)
  const nodes = await findNodes(cluster.kube, choice, cluster.signal)
  const isDry = options.dryRun === 'server'
  const { nodeSelector } = choice
  const wanted = { stage: 'Cordon' as const, nodeSelector, nodes, name, reason, selectorText, isTogether }
  const begun = await beginDrain(cluster, wanted, { isDry })
  if (isData(output) || isDry) {
    if (!isData(output)) world.printError(renderBegun(begun, isDry))
    return world.print(renderBegunAs(output, begun))
  }
  world.print(renderBegun(begun, isDry))
  await warnIfNobodyLeads(world, cluster)
  const given = selectorText === undefined ? names.join(' ') : `-l ${JSON.stringify(selectorText)}`
  world.print(`drain: ${world.programName} drain ${given}${name === undefined ? '' : ` --name ${name}`}`)
  world.print(`undo:  ${world.programName} cancel ${begun.name}`)
}
