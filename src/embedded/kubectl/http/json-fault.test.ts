import { expect, test } from 'vitest'
import { describeJsonFault } from './json-fault.ts'

function faultOf(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    return describeJsonFault(error, text)
  }
  throw new Error('that was JSON')
}

test.each([
  { text: '{"a":', expected: 'unexpected end of JSON input' },
  { text: '', expected: 'unexpected end of JSON input' },
  { text: '{"a', expected: 'unexpected end of JSON input' },
  { text: '{', expected: 'unexpected end of JSON input' },
  { text: '{"a":1', expected: 'unexpected end of JSON input' },
  { text: '{"kind":"ConfigMap",,}', expected: "invalid character ',' looking for beginning of object key string" },
  { text: '{a:1}', expected: "invalid character 'a' looking for beginning of object key string" },
  { text: '{"a":1 "b":2}', expected: "invalid character '\"' after object key:value pair" },
  { text: '[1 2]', expected: "invalid character '2' after array element" },
  { text: '{"a" 1}', expected: "invalid character '1' after object key" },
  { text: '{} x', expected: "invalid character 'x' after top-level value" },
  { text: '{"a":x}', expected: "invalid character 'x' looking for beginning of value" },
  { text: '{"a":"\n"}', expected: String.raw`invalid character '\n' in string literal` },
])('$text', ({ text, expected }) => {
  expect(faultOf(text)).toBe(expected)
})

test('a broken literal is named', () => {
  expect(faultOf('{"metadata": nonsense}')).toBe("invalid character 'o' in literal null (expecting 'u')")
})
