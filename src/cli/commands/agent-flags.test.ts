import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { runProgram } from '../program.ts'

test.each([
  { words: [], expected: "required option '--node <name>' not specified" },
  { words: ['--node', 'one'], expected: "required option '--pod-name <name>' not specified" },
  { words: ['--node', 'one', '--pod-name', 'a', '--pod-uid', 'u', '--log-level', 'loud'], expected: 'loud' },
  {
    words: ['--node', 'one', '--pod-name', 'a', '--pod-uid', 'u', '--shutdown', '--shutdown-budget', 'long'],
    expected: "option '--shutdown-budget <duration>' argument 'long' is invalid. It takes a duration from 0s to 24h",
  },
  {
    words: ['--node', 'one', '--pod-name', 'a', '--pod-uid', 'u', '--shutdown', '--shutdown-lead-time', '-1h'],
    expected: "option '--shutdown-lead-time <duration>' argument '-1h' is invalid. It takes a duration from 0s to 24h",
  },
])('agent $words: $expected', async ({ words, expected }) => {
  const world = commandWorld()
  expect(await runProgram(world, ['agent', ...words])).toBe(2)
  expect(world.errors.join('\n')).toContain(expected)
})
