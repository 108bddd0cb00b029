import { Command, Option } from 'commander'
import { featureGateNames } from '../api/feature-gates.ts'
import { installation } from '../manager/installation-names.ts'
import { cluster, parseNodeCount, parsePort, type ClusterOptions } from './cluster.ts'
import { controller, type ControllerOptions } from './controller.ts'
import { demo } from './demo.ts'
import { run, type RunOptions } from './run.ts'
import { parseDurationMs, parseGates, parseListen, parseLogLevel, parseWebhookUrl } from './settings.ts'
import { uninstall, type UninstallCommandOptions } from './uninstall.ts'
import { version } from './version.ts'

/** What a command needs of the world. */
export interface World {
  print(line: string): void
  /** Resolves at Ctrl-C, or when the process is asked to end in another way. */
  untilInterrupted(): Promise<void>
}

export function buildProgram(world: World): Command {
  const program = new Command('lifeboat')
    .description('Takes nodes out of a Kubernetes cluster without hurting the applications on them')
    .showHelpAfterError('(lifeboat --help lists what there is)')
  program
    .command('version')
    .description('print the version')
    .action(() => world.print(`lifeboat ${version}`))
  program
    .command('demo')
    .description('see what Lifeboat does, on this machine')
    .action(() => demo(world))
  program
    .command('cluster')
    .description('run a small Kubernetes in this process, for kubectl, until Ctrl-C')
    .option('--nodes <count>', 'how many nodes it has', parseNodeCount, 5)
    .option('--port <number>', 'where it listens on this machine; any free port if not given', parsePort, 0)
    .option('--kubeconfig <file>', 'where to write its kubeconfig; a temporary file if not given')
    .action((options: ClusterOptions) => cluster(world, options))
  addRun(program, world)
  addController(program, world)
  connecting(program.command('uninstall'))
    .description('take Lifeboat out of a cluster: release what it holds, remove what it installed')
    .option('--force', 'even though one still runs')
    .action((options: UninstallCommandOptions) => uninstall(world, options))
  return program
}

function addRun(program: Command, world: World): void {
  const command = connecting(program.command('run')).description(
    'run Lifeboat in this process for a cluster reached from outside, until Ctrl-C',
  )
  running(command, { webhookPort: 0, listen: '127.0.0.1:8081' })
    .option(
      '--webhook-url <url>',
      'how the API server reaches this process; its address on the way there if not given',
      parseWebhookUrl,
    )
    .action((options: RunOptions) => run(world, options))
}

function addController(program: Command, world: World): void {
  const command = program
    .command('controller')
    .description('run Lifeboat in a pod of the cluster that it looks after; several replicas take turns')
  running(command, { webhookPort: 9443, listen: '0.0.0.0:8081' })
    .option('--service <name>', 'the Service that leads to its webhooks', installation.webhookService)
    .option('--namespace <name>', 'the namespace that it is installed in; that of the pod if not given')
    .action((options: ControllerOptions) => controller(world, options))
}

function connecting(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the cluster; as kubectl finds it if not given')
    .option('--context <name>', 'another context of that file than its current one')
}

function running(command: Command, defaults: { readonly webhookPort: number; readonly listen: string }): Command {
  // A default that was parsed already is no text to show.
  const parsed = (flags: string, description: string, parse: (text: string) => unknown, text: string) =>
    command.addOption(new Option(flags, description).argParser(parse).default(parse(text), text || 'all on'))
  parsed(
    '--feature-gates <gates>',
    `such as EvictionInterception=false; there are ${featureGateNames.join(', ')}`,
    parseGates,
    '',
  )
  parsed(
    '--controller-evict-timeout <duration>',
    'how long a controller that takes over evictions is waited for',
    parseDurationMs,
    '1m',
  )
  parsed('--listen <address>', 'HOST:PORT of metrics and health, or off', parseListen, defaults.listen)
  return command
    .option(
      '--webhook-port <number>',
      'where the webhooks listen; 0 is any that is free',
      parsePort,
      defaults.webhookPort,
    )
    .option('--log-level <level>', 'debug, info, warn or error', parseLogLevel, 'info')
    .option('--verbose', 'the same as --log-level debug')
}
