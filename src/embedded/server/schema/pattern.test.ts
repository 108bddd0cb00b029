import { expect, test } from 'vitest'
import { compilePattern, PatternError } from './pattern.ts'

test.each([
  ['^a+$', 'aaa', true],
  ['^a+$', 'aab', false],
  ['b', 'abc', true],
  ['^a$', 'a\n', false],
  ['(?i)ABC', 'abc', true],
])('%s on %j: %j', (pattern, text, expected) => {
  expect(compilePattern(pattern).matches(text)).toBe(expected)
})

test('finds matches', () => {
  expect(compilePattern('^.*[a-z0-9]').find('ab--')).toBe('ab')
  expect(compilePattern('x').find('ab')).toBeUndefined()
  expect(compilePattern('[0-9]').findAll('a1b2c3', -1)).toEqual(['1', '2', '3'])
  expect(compilePattern('[0-9]').findAll('a1b2c3', 2)).toEqual(['1', '2'])
})

test.each([String.raw`(a)\1`, '(?=a)', '(', 'a{100000}', '((a{100}){100}){100}'])('%s is refused', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(PatternError)
})

test('a pattern that hangs others takes time in proportion to the text', () => {
  const startedMs = performance.now()
  expect(compilePattern('^(a+)+$').matches(`${'a'.repeat(20_000)}b`)).toBe(false)
  expect(compilePattern('(x+x+)+y').matches('x'.repeat(20_000))).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(5_000)
})

test('no more patterns are kept than there is room for', () => {
  for (let index = 0; index < 2_500; index++) compilePattern(`^a${index}$`)
  expect(compilePattern('^a7$').matches('a7')).toBe(true)
})
