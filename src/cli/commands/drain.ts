import type { Command } from 'commander'
import type { DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { fileProblem } from '../../kube/auth/kubeconfig-error.ts'
import { systemFiles } from '../../kube/auth/system-files.ts'
import { beginDrain, renderBegun, type BegunDrain } from '../maintenance/begin-maintenance.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { CommandError, exitCodes, explainFailure } from '../output/errors.ts'
import { findNodes, parseNodeChoice } from '../maintenance/find-nodes.ts'
import {
  acceptingNamespace,
  connecting,
  dryRunOption,
  outputOption,
  timeoutOption,
  type DryRunOptions,
  type OutputOptions,
} from '../flags.ts'
import { answeringKubectlFlags } from '../maintenance/kubectl-habits.ts'
import { warnOfLostPods } from '../maintenance/lost-pods.ts'
import { isData, renderObjects } from '../output/output.ts'
import { parsePlanFile } from '../maintenance/plan-file.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads, type ReachedCluster } from '../connect/reached-cluster.ts'
import { endError, nextSteps, renderDrained, watchDrain } from '../view/watch-drain.ts'

export interface DrainOptions extends ConnectionOptions, DryRunOptions, OutputOptions {
  readonly selector?: string
  readonly reason?: string
  readonly plan?: string
  /** Milliseconds; 0 is without end. */
  readonly timeout: number
  readonly detach?: boolean
  readonly name?: string
  readonly together?: boolean
}

export function addDrain(program: Command, world: World): void {
  const command = program
    .command('drain')
    .description('move all pods off nodes, replacements first, and show it live; Ctrl-C leaves it running')
    .argument('[nodes...]', 'names of the nodes')
    .option('-l, --selector <labels>', 'the nodes with these labels instead, as kubectl selects')
    .option('--reason <text>', 'why, for people; it shows up in messages')
    .option('--plan <file>', 'which pods go first: a list of drain plan entries, or a NodeMaintenance that has one')
    .option('--name <name>', 'of the drain; made of the nodes if not given')
    .option(
      '--together',
      'one maintenance for all nodes: their pods leave in lock-step, and one that is blocked holds all',
    )
    .option('--detach', 'do not wait; say how to watch, complete and undo it')
    .addOption(timeoutOption())
    .addOption(dryRunOption())
    .addOption(outputOption(['json', 'yaml']))
  answeringKubectlFlags(acceptingNamespace(connecting(command))).action((nodes: string[], options: DrainOptions) =>
    drain(world, nodes, options),
  )
}

export async function drain(world: World, names: readonly string[], options: DrainOptions): Promise<void> {
  const { dryRun, output, name, reason, selector: selectorText, together: isTogether = false } = options
  const choice = parseNodeChoice(names, selectorText, { isTogether })
  const plan = options.plan === undefined ? undefined : await readPlan(options.plan)
  await using cluster = await reachCluster(world, options)
  const nodes = await findNodes(cluster.kube, choice, cluster.signal)
  await warnOfLostPods(world, cluster, nodes)
  const isDry = dryRun === 'server'
  const { nodeSelector } = choice
  const wanted = { stage: 'Drain' as const, nodeSelector, nodes, name, reason, plan, selectorText, isTogether }
  const begun = await beginDrain(cluster, wanted, { isDry })
  if (isDry) {
    if (!isData(output)) world.printError(renderBegun(begun, isDry))
    return world.print(renderBegunAs(output, begun))
  }
  if (!isData(output)) world.print(renderBegun(begun, isDry))
  try {
    await goOn(world, cluster, { begun, nodes, options })
  } catch (error) {
    throw withNextSteps(error, nextSteps(world.programName, begun.name))
  }
}

interface Going {
  readonly begun: BegunDrain
  readonly nodes: readonly string[]
  readonly options: DrainOptions
}

/** From here on there is something in the cluster, whatever becomes of this command. */
async function goOn(world: World, cluster: ReachedCluster, { begun, nodes, options }: Going): Promise<void> {
  const { timeout: timeoutMs, output, detach = false } = options
  const { name, isJoined } = begun
  await warnIfNobodyLeads(world, cluster)
  if (detach) {
    if (isData(output)) return world.print(renderBegunAs(output, begun))
    for (const line of nextSteps(world.programName, name)) world.print(line)
    return
  }
  const watching = { name, isJoined, expectedNodes: nodes, timeoutMs, isQuiet: isData(output) }
  const end = await watchDrain(world, cluster, watching)
  if (end.kind !== 'drained') throw endError(world.programName, end, timeoutMs)
  if (isData(output)) return world.print(renderObjects(output, end.maintenances, isJoined))
  for (const line of renderDrained(world.programName, end.picture)) world.print(line)
}

export function renderBegunAs(output: OutputOptions['output'], { isJoined, parts }: BegunDrain): string {
  const maintenances = parts.map(({ maintenance }) => maintenance)
  return renderObjects(output, maintenances, isJoined)
}

function withNextSteps(error: unknown, steps: readonly string[]): CommandError {
  if (error instanceof CommandError) return error
  const { message, advice, exitCode } = explainFailure(error)
  const isInterrupted = exitCode === exitCodes.interrupted
  return new CommandError(
    isInterrupted ? 'interrupted; the drain continues without you' : `${message}; the drain continues`,
    {
      advice: [...(isInterrupted ? [] : [advice]), ...steps].join('\n'),
      exitCode,
      cause: error,
    },
  )
}

async function readPlan(file: string): Promise<DrainPlanEntry[]> {
  const text = await systemFiles.readText(file).catch((error: unknown) => {
    throw new CommandError(`plan file ${file} ${fileProblem(error)}`, {
      advice: 'Name a YAML or JSON file with --plan.',
      exitCode: exitCodes.usage,
      cause: error,
    })
  })
  return parsePlanFile(text, file)
}
