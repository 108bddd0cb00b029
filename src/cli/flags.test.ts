import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  acceptingNamespace,
  addGlobalFlags,
  connecting,
  dryRunOption,
  outputOption,
  parseTimeoutMs,
  timeoutOption,
} from './flags.ts'

function parse(...words: readonly string[]): Record<string, unknown> {
  const program = new Command()
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeErr: () => {} })
  addGlobalFlags(program)
  let seen: Record<string, unknown> = {}
  const command = acceptingNamespace(connecting(program.command('show')))
    .addOption(outputOption(['json', 'yaml']))
    .addOption(dryRunOption())
    .addOption(timeoutOption())
  command.action((options: Record<string, unknown>) => {
    seen = options
  })
  program
    .command('alone')
    .option('--kubeconfig <file>')
    .action(() => {})
  program.parse(words, { from: 'user' })
  return seen
}

describe('flags of kubectl', () => {
  test.each([
    {
      name: 'after the command',
      words: ['show', '--context', 'a', '-n', 'shop'],
      expected: { context: 'a', namespace: 'shop' },
    },
    { name: 'before it', words: ['--context', 'a', '--verbose', 'show'], expected: { context: 'a', verbose: true } },
    {
      name: 'on both sides: the later wins',
      words: ['--context', 'a', 'show', '--context', 'b'],
      expected: { context: 'b' },
    },
    { name: 'with =', words: ['show', '--dry-run=server'], expected: { dryRun: 'server' } },
    { name: 'as one word', words: ['show', '-ojson'], expected: { output: 'json' } },
    { name: 'without a timeout it waits without end', words: ['show'], expected: { timeout: 0 } },
  ])('$name', ({ words, expected }) => {
    expect(parse(...words)).toMatchObject(expected)
  })

  test.each([
    [['show', '-o', 'wide'], 'It takes one of json, yaml.'],
    [['show', '--dry-run', 'client'], 'It takes server or none'],
    [['show', '--timeout', 'soon'], 'It takes a duration'],
    [['--kubeconfig', 'a', 'alone'], 'alone takes no --kubeconfig'],
    [['--namespace', 'a', 'alone'], 'alone takes no --namespace'],
  ])('%j is refused', (words, message) => expect(() => parse(...words)).toThrow(message))
})

test.each([
  ['0', 0],
  ['0s', 0],
  ['5m', 300_000],
])('a timeout of %s is %i ms', (text, expected) => expect(parseTimeoutMs(text)).toBe(expected))
