import { expect, test } from 'vitest'
import { commandWorld } from '../../test/build/served-cluster.ts'
import { runProgram } from './program.ts'

test.each([
  { words: [], expected: "required option '--node <name>' not specified" },
  { words: ['--node', 'one'], expected: "required option '--pod-name <name>' not specified" },
  { words: ['--node', 'one', '--pod-name', 'a', '--pod-uid', 'u', '--log-level', 'loud'], expected: 'loud' },
])('agent $words: $expected', async ({ words, expected }) => {
  const world = commandWorld()
  expect(await runProgram(world, ['agent', ...words])).toBe(2)
  expect(world.errors.join('\n')).toContain(expected)
})
