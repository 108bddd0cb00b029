import { Command, CommanderError } from 'commander'
import { asCalled } from './output/as-called.ts'
import { addCompletion } from './commands/completion.ts'
import { addCordon } from './commands/cordon.ts'
import type { ClusterOptions } from './commands/cluster.ts'
import { addAgent } from './commands/agent-flags.ts'
import { addDescheduler } from './commands/descheduler-flags.ts'
import { addDrain } from './commands/drain.ts'
import { exitCodeMeanings, exitCodes, explainFailure } from './output/errors.ts'
import { addCancel, addComplete } from './commands/finish.ts'
import { addGlobalFlags, connecting } from './flags.ts'
import { addInstall } from './commands/install.ts'
import { addUncordon } from './maintenance/kubectl-habits.ts'
import { addController, addRun } from './commands/process-flags.ts'
import { addStatus } from './commands/status.ts'
import { parseNodeCount, parsePort } from './connect/settings.ts'
import type { Terminal } from './output/terminal.ts'
import { uninstall, type UninstallCommandOptions } from './commands/uninstall.ts'
import { addVersion } from './commands/version-command.ts'
import { addWhy } from './why/why.ts'

/** What a command needs of the world. */
export interface World {
  /** How it was called: `lifeboat`, or `kubectl lifeboat` as a plugin. Advice says it the same way. */
  readonly programName: string
  /** What a live view is drawn on; the same place that `print` prints to. */
  readonly terminal: Terminal
  print(line: string): void
  /** For people, also where the output goes to a program. */
  printError(line: string): void
  /** Resolves at Ctrl-C, or when the process is asked to end in another way. */
  untilInterrupted(): Promise<void>
}

type AddCommand = (program: Command, world: World) => void

/** In the order of the help. */
const commands: readonly AddCommand[] = [
  addDrain,
  addCordon,
  addStatus,
  addWhy,
  addComplete,
  addCancel,
  addRun,
  addController,
  addDescheduler,
  addAgent,
  addInstall,
  addUninstall,
  addCluster,
  addDemo,
  addVersion,
  addCompletion,
  addUncordon,
]

export function buildProgram(world: World): Command {
  const program = new Command(world.programName)
    .description('Takes nodes out of a Kubernetes cluster without hurting the applications on them')
    .showHelpAfterError(`(${world.programName} --help lists what there is)`)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.print(text.replace(/\n$/u, '')),
      writeErr: (text) => world.printError(text.replace(/\n$/u, '')),
      outputError: (text, write) => write(text.replace(/^error: /u, `${world.programName}: `)),
      getOutHelpWidth: () => world.terminal.columns(),
      getErrHelpWidth: () => world.terminal.columns(),
    })
    .addHelpText('after', `\n${renderExitCodes()}`)
  addGlobalFlags(program)
  for (const add of commands) add(program, world)
  return program
}

/** Runs a command line, says what failed, and answers with the exit code. */
export async function runProgram(world: World, words: readonly string[]): Promise<number> {
  const program = buildProgram(world)
  let isVerbose = false
  program.hook('preAction', (_, command) => {
    isVerbose = command.opts()['verbose'] === true
  })
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    // What it was about has been printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    const failure = explainFailure(error)
    world.printError(`${world.programName}: ${asCalled(failure.message, world)}`)
    world.printError(asCalled(failure.advice, world))
    if (isVerbose) world.printError(stackOf(failure.cause ?? failure))
    return failure.exitCode
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function renderExitCodes(): string {
  const lines = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`)
  return ['Exit codes:', ...lines].join('\n')
}

// The next two bring a whole Kubernetes, which no other command should load, or wait for.

function addDemo(program: Command, world: World): void {
  program
    .command('demo')
    .description('see what Lifeboat does, on this machine, in half a minute')
    .option('--static-pods', 'another one: nodes of a control plane, whose static pods leave and come back')
    .action(async ({ staticPods = false }: { staticPods?: boolean }) =>
      staticPods
        ? (await import('./demo/static-pods-demo.ts')).runStaticPodsDemo(world)
        : (await import('./demo/demo.ts')).runDemo(world),
    )
}

function addCluster(program: Command, world: World): void {
  program
    .command('cluster')
    .description('run a small Kubernetes in this process, for kubectl, until Ctrl-C')
    .option('--nodes <count>', 'how many nodes it has', parseNodeCount, 5)
    .option('--port <number>', 'where it listens on this machine; any free port if not given', parsePort, 0)
    .option('--kubeconfig <file>', 'where to write its kubeconfig; a temporary file if not given')
    .action(async (options: ClusterOptions) => (await import('./commands/cluster.ts')).cluster(world, options))
}

function addUninstall(program: Command, world: World): void {
  connecting(program.command('uninstall'))
    .description('take Lifeboat out of a cluster: release what it holds, remove what it installed')
    .option('--force', 'even though one still runs')
    .option('--release-only', 'only let go of what is held; what was installed is removed by Helm')
    .action((options: UninstallCommandOptions) => uninstall(world, options))
}
