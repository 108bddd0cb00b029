import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellCommand, shellWord } from './shell-command.ts'

test.each([
  { name: 'names are put in as they are', value: 'web-0.shop', expected: 'kubectl get pod web-0.shop -o wide' },
  { name: 'a list becomes words', value: ['a', 'b'], expected: 'kubectl get pod a b -o wide' },
  { name: 'what the shell would look into is quoted', value: '$(id)', expected: "kubectl get pod '$(id)' -o wide" },
  { name: 'a quote too', value: "it's", expected: String.raw`kubectl get pod 'it'\''s' -o wide` },
  { name: 'there is no command with what could be an option', value: '--kubeconfig=theirs', expected: undefined },
  { name: 'nor with nothing', value: ['a', ''], expected: undefined },
])('$name', ({ value, expected }) => {
  expect(shellCommand`kubectl get pod ${value} -o wide`).toBe(expected)
})

test('a shell reads back whatever was put in', () => {
  const words = fc.array(
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  fc.assert(
    fc.property(words, (list) => {
      const line = `printf '%s\\0' ${list.map(shellWord).join(' ')}`
      expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(list.map((word) => `${word}\0`).join(''))
    }),
    { numRuns: 5 },
  )
})
