import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { runProgram } from '../program.ts'

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, words)
  return { code, lines: world.lines, errors: world.errors }
}

test.each(['bash', 'zsh', 'fish'])('there is a script for %s', async (shell) => {
  const { code, lines } = await run('completion', shell)
  expect(code).toBe(0)
  expect(lines.join('\n')).toContain('lifeboat __complete --')
})

test('a shell that it does not know is wrong usage', async () => {
  const { code, errors } = await run('completion', 'tcsh')
  expect(code).toBe(2)
  expect(errors.join('\n')).toContain('Allowed choices are bash, zsh, fish')
})

test('names come from the cluster; without one there are none, and no error', async () => {
  await using cluster = await openArrangedCluster({ nodes: 2 })
  await cluster.setMaintenance({ name: 'drain-a', nodes: ['node-1'] })
  const at = ['--kubeconfig', cluster.kubeconfig]
  expect((await run('__complete', '--', 'drain', ...at, 'no')).lines).toEqual(['node-1', 'node-2', ':4'])
  expect((await run('__complete', '--', 'status', ...at, '')).lines).toEqual(['drain-a', 'node-1', 'node-2', ':4'])
  expect((await run('__complete', '--', 'sta')).lines).toEqual(['status', ':4'])
  expect((await run('__complete', '--', 'drain', '--det')).lines).toEqual(['--detach', ':4'])
  expect(await run('__complete', '--', 'drain', '--kubeconfig', '/nowhere', '')).toEqual({
    code: 0,
    lines: [':4'],
    errors: [],
  })
})

test('files fit where a flag takes one', async () => {
  expect((await run('__complete', '--', 'drain', '--plan', '')).lines).toEqual([':0'])
  expect((await run('__complete', '--', 'drain', '--plan=a')).lines).toEqual([':0'])
})

test('the script for bash completes what has been typed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-completion-'))
  try {
    const program = join(folder, 'lifeboat')
    await writeFile(program, '#!/bin/sh\nprintf "%s\\n" "asked: $*" drain\n')
    await chmod(program, 0o755)
    const { lines } = await run('completion', 'bash')
    const script = `${lines.join('\n')}\nCOMP_WORDS=(lifeboat --context a dr)\nCOMP_CWORD=3\nCOMP_LINE='lifeboat --context a dr'\nCOMP_POINT=23\n_lifeboat lifeboat dr a\nprintf '%s\\n' "\${COMPREPLY[@]}"`
    const PATH = `${folder}${delimiter}${process.env['PATH']}`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { ...process.env, PATH } })
    expect(stdout).toBe('asked: __complete -- --context a dr\ndrain\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})
