import { Option, type Command } from 'commander'
import { featureGateNames } from '../../api/feature-gates.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { controller, type ControllerOptions } from './controller.ts'
import { connecting } from '../flags.ts'
import type { Address } from '../../runtime/listen.ts'
import type { World } from '../program.ts'
import { run, type RunOptions } from './run.ts'
import {
  parseDurationMs,
  parseGates,
  parseIntervalMs,
  parseListen,
  parseLogLevel,
  parsePodPriorities,
  parsePort,
  parseWebhookUrl,
} from '../connect/settings.ts'

// The two commands that are Lifeboat itself, and their settings.

export function addRun(program: Command, world: World): void {
  const command = connecting(program.command('run')).description(
    'run Lifeboat in this process for a cluster reached from outside, until Ctrl-C',
  )
  running(command, { webhookPort: 0, listen: '127.0.0.1:8081' })
    .option(
      '--webhook-url <url>',
      'how the API server reaches this process; its address on the way there if not given',
      parseWebhookUrl,
    )
    .action((options: RunOptions) => run(world, withListen(options)))
}

export function addController(program: Command, world: World): void {
  const command = program
    .command('controller')
    .description('run Lifeboat in a pod of the cluster that it looks after; several replicas take turns')
  running(command, { webhookPort: 9443, listen: '[::]:8081' })
    .option('--service <name>', 'the Service that leads to its webhooks', installation.webhookService)
    .option('--namespace <name>', 'the namespace that it is installed in; that of the pod if not given')
    .option('--verbose', 'the same as --log-level debug')
    .option('--descheduler-policy <file>', 'run the descheduler too, in mode evacuate, by the DeschedulerPolicy in it')
    .addOption(
      new Option('--descheduling-interval <duration>', 'with --descheduler-policy: a cycle every so often')
        .argParser(parseIntervalMs)
        .default(parseIntervalMs('5m'), '5m'),
    )
    .addOption(
      new Option(
        '--max-evacuation-request-ttl <duration>',
        'with --descheduler-policy: take back requests that are older, where that is allowed; 0s is never',
      )
        .argParser(parseDurationMs)
        .default(parseDurationMs('0s'), '0s'),
    )
    .action((options: ControllerOptions) => controller(world, withListen(options)))
}

function running(command: Command, defaults: { readonly webhookPort: number; readonly listen: string }): Command {
  // A default that was parsed already is no text to show.
  const parsed = (flags: string, description: string, parse: (text: string) => unknown, text: string, words = text) =>
    command.addOption(new Option(flags, description).argParser(parse).default(parse(text), words))
  parsed(
    '--feature-gates <gates>',
    `such as EvictionInterception=false; there are ${featureGateNames.join(', ')}`,
    parseGates,
    '',
    'all on',
  )
  parsed(
    '--controller-evict-timeout <duration>',
    'how long a controller that takes over evictions is waited for',
    parseDurationMs,
    '1m',
  )
  parsed(
    '--shutdown-pod-priorities <list>',
    'for the drain before a machine goes down: the priorities of shutdownGracePeriodByPodPriority of the kubelets, such as 0,1000,2000000000',
    parsePodPriorities,
    '',
    'the default drain plan',
  )
  command.option(
    '--complete-after-reboot',
    'complete the maintenance of a shutdown once the machine is back and its node Ready; otherwise an admin does',
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
}

/** What is parsed into nothing, `off`, commander takes for a text without letters. */
export function withListen<T extends { readonly listen: Address | undefined }>(options: T): T {
  return { ...options, listen: typeof options.listen === 'object' ? options.listen : undefined }
}
