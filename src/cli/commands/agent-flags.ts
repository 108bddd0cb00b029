import { Option, type Command } from 'commander'
import { installation } from '../../manager/install/installation-names.ts'
import { agent, type AgentCommandOptions } from './agent.ts'
import { connecting } from '../flags.ts'
import type { World } from '../program.ts'
import { parseDurationMs, parseLogLevel } from '../connect/settings.ts'

export function addAgent(program: Command, world: World): void {
  connecting(program.command('agent'))
    .description(
      'run on a node, in a pod of a DaemonSet: take static pods away for maintenances, and have shutdowns wait for a drain',
    )
    .requiredOption('--node <name>', 'the node that it runs on')
    .requiredOption('--pod-name <name>', 'the pod that it runs in')
    .requiredOption('--pod-uid <uid>', 'the UID of that pod')
    .option('--manifests <folder>', 'where the kubelet has its static pods from; without it they are left alone')
    .option('--shutdown', 'have shutdowns of the machine wait until the node is drained; off if not given')
    .addOption(
      new Option(
        '--shutdown-budget <duration>',
        'how long logind should let it delay a shutdown; 0s: as long as it does',
      )
        .argParser(parseDurationMs)
        .default(parseDurationMs('30m'), '30m'),
    )
    .addOption(
      new Option('--shutdown-lead-time <duration>', 'how long before its time a scheduled shutdown begins the drain')
        .argParser(parseDurationMs)
        .default(parseDurationMs('1h'), '1h'),
    )
    .option(
      '--daemon-set <name>',
      'the DaemonSet of the pod: without it all is put back at the end',
      installation.agent,
    )
    .option('--namespace <name>', "Lifeboat's own, where the mailbox of the node is", installation.namespace)
    .option('--log-level <level>', 'debug, info, warn or error', parseLogLevel, 'info')
    .action((options: AgentCommandOptions) => agent(world, options))
}
