import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { completeWords } from './complete-words.ts'
import { buildProgram } from '../program.ts'

const program = buildProgram(commandWorld())

test.each([
  { words: ['dr'], expected: { words: expect.arrayContaining(['drain', 'status', 'completion']), names: [] } },
  { words: ['--context', 'a', 's'], expected: { words: expect.arrayContaining(['status']) } },
  { words: ['drain', ''], expected: { words: [], names: ['nodes'] } },
  { words: ['drain', '--reason', 'x', 'node-1', ''], expected: { names: ['nodes'] } },
  { words: ['drain', '--reason', ''], expected: { words: [], names: [] } },
  { words: ['drain', '--de'], expected: { words: expect.arrayContaining(['--detach', '--timeout']), names: [] } },
  { words: ['status', '-o', ''], expected: { words: ['json', 'yaml', 'wide'], names: [] } },
  { words: ['drain', '--dry-run', ''], expected: { words: ['server', 'none'] } },
  { words: ['complete', ''], expected: { names: ['maintenances', 'nodes'] } },
  { words: ['status', '-w', ''], expected: { names: ['maintenances', 'nodes'] } },
  { words: ['why', ''], expected: { names: ['maintenances', 'nodes'] } },
  { words: ['drain', '-o', ''], expected: { words: ['json', 'yaml'] } },
  { words: ['status', '--output=w'], expected: { words: ['json', 'yaml', 'wide'], typed: 'w' } },
  { words: ['drain', '--plan', ''], expected: { words: [], files: true } },
  { words: ['drain', '--plan=a/b'], expected: { words: [], files: true, typed: 'a/b' } },
  { words: ['drain', '--reason=a=b', ''], expected: { names: ['nodes'], files: false } },
  { words: ['drain', '--unknown=a'], expected: { files: false, typed: '--unknown=a' } },
  {
    words: ['--context', 'a', 'drain', '--kubeconfig=b', ''],
    expected: { connection: { context: 'a', kubeconfig: 'b' } },
  },
  { words: ['drain', '--reason', '--context', 'a', ''], expected: { connection: {} } },
  { words: ['completion', ''], expected: { words: ['bash', 'zsh', 'fish'] } },
  { words: ['version', ''], expected: { words: [], names: [] } },
  { words: [], expected: { words: expect.arrayContaining(['drain']) } },
])('after $words', ({ words, expected }) => expect(completeWords(program, words)).toMatchObject(expected))

test('what is hidden is not offered', () => {
  expect(completeWords(program, ['_']).words).not.toContain('__complete')
  expect(completeWords(program, ['drain', '-']).words).not.toContain('--namespace')
})
