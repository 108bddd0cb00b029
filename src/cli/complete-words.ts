import type { Command, Option } from 'commander'

/** Names that only the cluster knows. */
export type NameKind = 'nodes' | 'maintenances'

/** What the shell may put in place of the last word: words, or names of these kinds. */
export interface Completions {
  readonly words: readonly string[]
  readonly names: readonly NameKind[]
}

export const shells = ['bash', 'zsh', 'fish'] as const

const argumentNames: Readonly<Record<string, readonly NameKind[]>> = {
  drain: ['nodes'],
  cordon: ['nodes'],
  why: ['nodes'],
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
  const before = words.slice(0, -1)
  const { command, open } = readWords(program, before)
  if (open !== undefined) return { words: optionValues[open.long ?? ''] ?? [], names: [] }
  if (current.startsWith('-')) return { words: flagsOf(command), names: [] }
  if (command === program) return { words: visible(program).map((each) => each.name()), names: [] }
  if (command.name() === 'completion') return { words: shells, names: [] }
  return { words: [], names: argumentNames[command.name()] ?? [] }
}

/** The command that the words lead to, and the option that waits for its value. */
function readWords(program: Command, words: readonly string[]): { command: Command; open: Option | undefined } {
  let command = program
  let open: Option | undefined
  for (const word of words) {
    if (open !== undefined) {
      open = undefined
      continue
    }
    const option = command.options.find(({ short, long }) => word === short || word === long)
    if (option !== undefined) open = option.required || option.optional ? option : undefined
    else if (command === program) command = visible(program).find((each) => each.name() === word) ?? program
  }
  return { command, open }
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
