import { expect, test } from 'vitest'
import type { Transport } from '../../kube/client/transport.ts'
import { warningHeaders } from '../../embedded/kubectl/http/warning-header.ts'
import { parseWarnings, tellingWarnings } from './warnings.ts'

test.each([
  { name: 'none', header: undefined, expected: [] },
  { name: 'one', header: '299 - "all nodes are selected"', expected: ['all nodes are selected'] },
  { name: 'two in one header', header: '299 - "a, b", 299 - "c"', expected: ['a, b', 'c'] },
  { name: 'two headers', header: ['299 - "a"', '299 - "b"'], expected: ['a', 'b'] },
  { name: 'quotes', header: String.raw`299 - "it is \"all\" of them"`, expected: ['it is "all" of them'] },
  { name: 'orders to the terminal', header: '299 - "red \u001B[31m"', expected: ['red'] },
  { name: 'what is no warning', header: 'nonsense', expected: [] },
])('$name', ({ header, expected }) => expect(parseWarnings(header)).toEqual(expected))

test('what a server writes is read back', () => {
  const texts = ['naïve "nodes"', 'back\\slash', '日本']
  expect(parseWarnings(warningHeaders(texts))).toEqual(texts)
})

test('each is told once, and the answer is the same', async () => {
  const answer = { status: 200, headers: { warning: '299 - "a"' }, body: {} }
  const transport = { request: async () => answer } as unknown as Transport
  const told: string[] = []
  const telling = tellingWarnings(transport, (text) => told.push(text))
  expect(await telling.request({ method: 'GET', path: '/' })).toBe(answer)
  await telling.request({ method: 'GET', path: '/' })
  expect(told).toEqual(['a'])
})
