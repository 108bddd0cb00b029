import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { addDescheduler } from './descheduler-flags.ts'
import { runProgram } from '../program.ts'

test('flags that upstream has, too, have its names', () => {
  const program = new Command()
  addDescheduler(program, commandWorld())
  const flags = program.commands[0]?.options.map(({ long }) => long)
  expect(flags).toEqual(
    expect.arrayContaining(['--policy-config-file', '--descheduling-interval', '--dry-run', '--leader-elect']),
  )
})

test.each([
  { words: [], expected: "required option '--policy-config-file <file>' not specified" },
  { words: ['--policy-config-file', 'p', '--mode', 'delete'], expected: 'Allowed choices are evacuate, evict.' },
  { words: ['--policy-config-file', 'p', '--descheduling-interval', '5'], expected: 'It takes a duration' },
  { words: ['--policy-config-file', 'p', '-o', 'yaml'], expected: 'Allowed choices are json.' },
])('descheduler $words: $expected', async ({ words, expected }) => {
  const world = commandWorld()
  expect(await runProgram(world, ['descheduler', ...words])).toBe(2)
  expect(world.errors.join('\n')).toContain(expected)
})
