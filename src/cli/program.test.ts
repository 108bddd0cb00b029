import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { buildProgram } from './program.ts'

async function run(...words: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  const program = buildProgram({ print: (line) => lines.push(line), untilInterrupted: async () => {} }).exitOverride()
  program.configureOutput({ writeErr: (text) => lines.push(text) })
  await program.parseAsync(words, { from: 'user' }).catch(() => {})
  return lines
}

test('version is the one of the package', async () => {
  expect(await run('version')).toEqual([`lifeboat ${packageJson.version}`])
})

test('the demo says what works today', async () => {
  expect((await run('demo')).join('\n')).toContain('make cluster')
})

test('an unknown command is named, with the way to help', async () => {
  const lines = (await run('drian')).join('\n')
  expect(lines).toContain("unknown command 'drian'")
  expect(lines).toContain('lifeboat --help')
})
