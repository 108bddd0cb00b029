import fc from 'fast-check'
import { validateHeaderValue } from 'node:http'
import { expect, test } from 'vitest'
import { warningHeaders } from './warning-header.ts'

test.each([
  { name: 'plain', text: 'nodes are cordoned', expected: '299 - "nodes are cordoned"' },
  { name: 'quotes and backslashes', text: String.raw`say "hi" \o/`, expected: String.raw`299 - "say \"hi\" \\o/"` },
  { name: 'line breaks', text: 'one\r\ntwo', expected: '299 - "one two"' },
  { name: 'beyond ASCII', text: 'größer', expected: `299 - "${Buffer.from('größer').toString('latin1')}"` },
])('$name', ({ text, expected }) => {
  expect(warningHeaders([text])).toEqual([expected])
})

test('says nothing twice', () => {
  expect(warningHeaders(['a', 'b', 'a'])).toEqual(['299 - "a"', '299 - "b"'])
})

test('many long ones are cut, in length and in number', () => {
  const headers = warningHeaders(Array.from({ length: 100 }, (_, at) => `${at} ${'x'.repeat(1_000)}`))
  expect(headers.join('').length).toBeLessThan(5_000)
  expect(headers.length).toBeGreaterThan(5)
})

test('whatever is said is a header', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      for (const header of warningHeaders(texts)) validateHeaderValue('warning', header)
    }),
  )
})
