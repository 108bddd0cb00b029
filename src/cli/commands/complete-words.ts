import type { Command, Option } from 'commander'
import type { ConnectionOptions } from '../connect/connection.ts'

/** Names that only the cluster knows. */
export type NameKind = 'nodes' | 'maintenances'

/** What the shell may put in place of the last word: words, names of these kinds, or files. */
export interface Completions {
  readonly words: readonly string[]
  readonly names: readonly NameKind[]
  readonly files: boolean
  /** What has been typed of it. Of `--flag=value` that is the value: the shells keep the rest, and so do kubectl's scripts. */
  readonly typed: string
  /** How the words before say that the cluster is reached. */
  readonly connection: ConnectionOptions
}

export const shells = ['bash', 'zsh', 'fish'] as const

const argumentNames: Readonly<Record<string, readonly NameKind[]>> = {
  drain: ['nodes'],
  cordon: ['nodes'],
  why: ['maintenances', 'nodes'],
  status: ['maintenances', 'nodes'],
  complete: ['maintenances', 'nodes'],
  cancel: ['maintenances', 'nodes'],
}

const optionValues: Readonly<Record<string, readonly string[]>> = {
  '--output': ['json', 'yaml', 'wide'],
  '--dry-run': ['server', 'none'],
  '--log-level': ['debug', 'info', 'warn', 'error'],
}

/** `words` are those after the name of the program; the last is what has been typed of the one to complete. */
export function completeWords(program: Command, words: readonly string[]): Completions {
  const current = words.at(-1) ?? ''
  const { command, open, connection } = readWords(program, words.slice(0, -1))
  const nothing = { words: [], names: [], files: false, typed: current, connection }
  if (open !== undefined) return { ...nothing, ...valuesOf(open) }
  const { option, value } = readFlag(command, current)
  if (option !== undefined && value !== undefined) return { ...nothing, ...valuesOf(option), typed: value }
  if (current.startsWith('-')) return { ...nothing, words: flagsOf(command) }
  if (command === program) return { ...nothing, words: visible(program).map((each) => each.name()) }
  if (command.name() === 'completion') return { ...nothing, words: shells }
  return { ...nothing, names: argumentNames[command.name()] ?? [] }
}

interface ReadWords {
  /** That the words lead to. */
  readonly command: Command
  /** Waits for its value. */
  readonly open: Option | undefined
  readonly connection: ConnectionOptions
}

function readWords(program: Command, words: readonly string[]): ReadWords {
  let command = program
  let open: Option | undefined
  const given: Record<string, string> = {}
  for (const word of words) {
    if (open !== undefined) {
      given[open.attributeName()] = word
      open = undefined
      continue
    }
    const { option, value } = readFlag(command, word)
    if (option !== undefined && value !== undefined) given[option.attributeName()] = value
    else if (option !== undefined) open = option.required || option.optional ? option : undefined
    else if (command === program) command = visible(program).find((each) => each.name() === word) ?? program
  }
  const { kubeconfig, context } = given
  const connection = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  }
  return { command, open, connection }
}

/** `-o`, `--output`, or `--output=json`, which has its value with it. */
function readFlag(command: Command, word: string): { option?: Option; value?: string } {
  const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
  const option = command.options.find(({ short, long }) => flag === short || flag === long)
  return { ...(option === undefined ? {} : { option }), ...(value === undefined ? {} : { value }) }
}

function valuesOf(option: Option): Pick<Completions, 'words' | 'files'> {
  const known = optionValues[option.long ?? ''] ?? []
  return { words: known.filter((value) => isTaken(option, value)), files: option.flags.endsWith('<file>') }
}

/** Not every command prints in every format. */
function isTaken(option: Option, value: string): boolean {
  try {
    option.parseArg?.(value, undefined)
    return true
  } catch {
    return false
  }
}

function visible(program: Command): readonly Command[] {
  const help = program.createHelp()
  return help.visibleCommands(program).filter((each) => each.name() !== 'help')
}

function flagsOf(command: Command): string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => (long === undefined ? [] : [long]))
}
