import { Option, type Command } from 'commander'
import { modes } from '../../descheduler/mode.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { descheduler, type DeschedulerOptions } from './descheduler.ts'
import { connecting } from '../flags.ts'
import { withListen } from './process-flags.ts'
import type { World } from '../program.ts'
import { parseDurationMs, parseListen, parseLogLevel } from '../connect/settings.ts'

/** Flags that the upstream descheduler has, too, have its names. */
export function addDescheduler(program: Command, world: World): void {
  const parsed = (flags: string, description: string, parse: (text: string) => unknown, text: string) =>
    new Option(flags, description).argParser(parse).default(parse(text), text)
  connecting(program.command('descheduler'))
    .description('find pods that would be better off elsewhere, by a DeschedulerPolicy, and ask for their evacuation')
    .requiredOption('--policy-config-file <file>', 'the policy, as the upstream descheduler reads it (v1alpha2)')
    .option('--dry-run', 'change nothing: only report who would go, who is protected, and what a limit cut')
    .addOption(
      new Option(
        '-o, --output <format>',
        'print the whole report of each cycle as json; at an interval, one line a cycle',
      ).choices(['json']),
    )
    .addOption(
      parsed('--descheduling-interval <duration>', 'a cycle every so often; 0s is one cycle', parseDurationMs, '0s'),
    )
    .addOption(
      new Option('--mode <mode>', 'ask for evacuations, or evict as upstream does')
        .choices([...modes])
        .default('evacuate'),
    )
    .addOption(
      parsed(
        '--max-evacuation-request-ttl <duration>',
        'take back requests that are older, where that is allowed; 0s is never',
        parseDurationMs,
        '0s',
      ),
    )
    .option('--leader-elect', 'wait for the Lease: of several processes one runs cycles')
    .option('--namespace <name>', 'where its Lease and its memory are', installation.namespace)
    .addOption(parsed('--listen <address>', 'HOST:PORT of metrics and health, or off', parseListen, 'off'))
    .option('--log-level <level>', 'debug, info, warn or error', parseLogLevel, 'info')
    .action((options: DeschedulerOptions) => descheduler(world, withListen(options)))
}
