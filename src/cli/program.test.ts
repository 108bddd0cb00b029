import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { commandWorld } from '../../test/build/served-cluster.ts'
import { runProgram } from './program.ts'

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, words)
  return { code, lines: world.lines.join('\n'), errors: world.errors.join('\n') }
}

test('the version is the one of the package', async () => {
  expect(await run('version', '--client')).toMatchObject({ code: 0, lines: `lifeboat ${packageJson.version}` })
})

test.each([
  { name: 'an unknown command', words: ['drian'], says: "lifeboat: unknown command 'drian'" },
  { name: 'an unknown flag', words: ['status', '--colour'], says: "lifeboat: unknown option '--colour'" },
  {
    name: 'a flag without its value',
    words: ['status', '-o'],
    says: "option '-o, --output <format>' argument missing",
  },
  { name: 'an output that there is not', words: ['status', '-o', 'xml'], says: 'It takes one of json, yaml, wide.' },
  { name: 'a dry run by the client', words: ['drain', 'a', '--dry-run=client'], says: 'It takes server or none' },
  {
    name: 'a flag that the command does not take',
    words: ['--context', 'a', 'cluster'],
    says: 'cluster takes no --context',
  },
  {
    name: 'a flag of the same name with another meaning',
    words: ['--kubeconfig', 'a', 'cluster'],
    says: 'cluster takes no --kubeconfig',
  },
])('$name is wrong usage, named with the way to help', async ({ words, says }) => {
  const { code, errors, lines } = await run(...words)
  expect(code).toBe(2)
  expect(errors).toContain(says)
  expect(errors).toContain('(lifeboat --help lists what there is)')
  expect(lines).toBe('')
})

test('help goes to stdout with the exit codes, and is a success', async () => {
  const { code, lines } = await run('--help')
  expect(code).toBe(0)
  expect(lines).toContain('Usage: lifeboat [options] [command]')
  expect(lines).toMatch(/Exit codes:\n {2}0 {4}done\n/)
})

test('as a plugin of kubectl it is called so', async () => {
  const world = { ...commandWorld(), programName: 'kubectl lifeboat' }
  expect(await runProgram(world, ['status', '--help'])).toBe(0)
  expect(world.lines.join('\n')).toContain('Usage: kubectl lifeboat status')
})

test('flags of kubectl may stand before the command; those after it win', async () => {
  const before = await run('--kubeconfig', '/nowhere/one', 'status')
  expect(before).toMatchObject({ code: 1, errors: expect.stringContaining('/nowhere/one does not exist') })
  const both = await run('--kubeconfig', '/nowhere/one', 'status', '--kubeconfig', '/nowhere/two')
  expect(both.errors).toContain('/nowhere/two does not exist')
})

test('a failure is two lines, and a stack only with --verbose', async () => {
  const quiet = await run('status', '--kubeconfig', '/nowhere')
  expect(quiet.errors.split('\n')).toEqual([
    'lifeboat: kubeconfig /nowhere does not exist',
    'Name the right file with --kubeconfig or KUBECONFIG, and the right context with --context.',
  ])
  for (const words of [
    ['--verbose', 'status', '--kubeconfig', '/nowhere'],
    ['status', '--verbose', '--kubeconfig', '/nowhere'],
  ]) {
    expect((await run(...words)).errors).toContain('KubeconfigError: kubeconfig /nowhere')
  }
})
