import { describe, expect, test } from 'vitest'

import { fileProblem, isMissingFile, KubeconfigError, listNames, oneLine } from './kubeconfig-error.ts'

const coded = (code: string) => Object.assign(new Error('some words'), { code })

describe('oneLine', () => {
  test.each([
    { name: 'joins lines', text: 'one\r\n  two\n\nthree', expected: 'one two three' },
    { name: 'drops colours', text: '\u001B[31mred\u001B[0m alert', expected: 'red alert' },
    { name: 'drops a title for the terminal', text: 'a\u001B]0;title\u0007b', expected: 'ab' },
    { name: 'drops bells and other control characters', text: 'a\u0007\u0000b', expected: 'a b' },
    { name: 'leaves plain words alone', text: 'kubeconfig ~/x: “ok”', expected: 'kubeconfig ~/x: “ok”' },
  ])('$name', ({ text, expected }) => expect(oneLine(text)).toBe(expected))

  test('cuts what is too long', () => {
    const line = oneLine('x'.repeat(5_000))
    expect(line).toHaveLength(1_024)
    expect(line.endsWith('…')).toBe(true)
  })
})

test('an error is one line whatever it is made of', () => {
  expect(new KubeconfigError('context "a\nb" not found').message).toBe('context "a b" not found')
})

test.each([
  { error: coded('ENOENT'), expected: 'does not exist', missing: true },
  { error: coded('ENOTDIR'), expected: 'does not exist', missing: true },
  { error: coded('EACCES'), expected: 'may not be read (permission denied)', missing: false },
  { error: coded('EISDIR'), expected: 'is a folder, not a file', missing: false },
  { error: coded('EIO'), expected: 'EIO', missing: false },
  { error: new Error('odd'), expected: 'cannot be read', missing: false },
  { error: 'odd', expected: 'cannot be read', missing: false },
])('$error.code means: $expected', ({ error, expected, missing }) => {
  expect(fileProblem(error)).toBe(expected)
  expect(isMissingFile(error)).toBe(missing)
})

test.each([
  { names: [], expected: 'none' },
  { names: ['staging', 'dev'], expected: 'dev, staging' },
  {
    names: Array.from({ length: 12 }, (_, index) => `c${index + 10}`),
    expected: 'c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 2 more',
  },
])('lists $names.length names', ({ names, expected }) => expect(listNames(names)).toBe(expected))
