import { InvalidArgumentError, Option, type Command } from 'commander'
import { parseDurationMs } from './connect/settings.ts'

// kubectl's flags, with kubectl's names: on the commands that take them, and before any command as with kubectl itself.

export const outputFormats = ['json', 'yaml', 'wide'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** What `dryRun` makes of a command. */
export interface DryRunOptions {
  readonly dryRun?: 'none' | 'server'
}

export interface OutputOptions {
  readonly output?: OutputFormat
}

export function connecting(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the cluster; as kubectl finds it if not given')
    .option('--context <name>', 'another context of that file than its current one')
    .addOption(verboseOption())
}

/** For commands about nodes and maintenances, which are in no namespace: accepted as kubectl accepts it, and of no effect. */
export function acceptingNamespace(command: Command): Command {
  return command.addOption(namespaceOption().hideHelp())
}

export function namespaceOption(): Option {
  return new Option('-n, --namespace <name>', 'the namespace of pods; that of the context if not given')
}

export function verboseOption(): Option {
  return new Option('--verbose', 'tell more: a failure with its stack trace')
}

export function outputOption(formats: readonly OutputFormat[]): Option {
  const parse = (text: string): OutputFormat => {
    const format = formats.find((known) => known === text)
    if (format === undefined) throw new InvalidArgumentError(`It takes one of ${formats.join(', ')}.`)
    return format
  }
  return new Option('-o, --output <format>', `print it as ${formats.join(', ')}`).argParser(parse)
}

export function dryRunOption(): Option {
  return new Option(
    '--dry-run <strategy>',
    'server: send what would be written to the API server, which changes nothing, and print it; none',
  ).argParser(parseDryRun)
}

export function timeoutOption(): Option {
  return new Option('--timeout <duration>', 'how long to wait, such as 30s, 5m or 2h; 0 is without end')
    .argParser(parseTimeoutMs)
    .default(0, '0')
}

/** Where a command stands before the others: kubectl takes its flags there too. */
export function addGlobalFlags(program: Command): void {
  connecting(program).addOption(namespaceOption())
  program.hook('preAction', (_, command) => passOn(program, command))
}

/** What was given before the command, unless it was given again after it. */
function passOn(program: Command, command: Command): void {
  for (const [name, value] of Object.entries(program.opts())) {
    const option = command.options.find((each) => each.attributeName() === name)
    const isTaken =
      option !== undefined && (name === 'verbose' || command.options.some(({ long }) => long === '--context'))
    if (!isTaken) command.error(`error: ${command.name()} takes no --${name}`)
    else if (command.getOptionValue(name) === undefined) command.setOptionValue(name, value)
  }
}

function parseDryRun(text: string): 'none' | 'server' {
  if (text === 'none' || text === 'server') return text
  throw new InvalidArgumentError('It takes server or none: what would be written depends on the cluster.')
}

/** As kubectl: 0 waits without end. */
export function parseTimeoutMs(text: string): number {
  return text === '0' ? 0 : parseDurationMs(text)
}
