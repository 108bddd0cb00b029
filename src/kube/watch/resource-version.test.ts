import { expect, test } from 'vitest'
import { versionNumber } from './resource-version.ts'

test.each([
  { text: '10', expected: 10n },
  { text: '18446744073709551615', expected: 18_446_744_073_709_551_615n },
  { text: '', expected: -1n },
  { text: 'abc', expected: -1n },
  { text: undefined, expected: -1n },
])('the version $text counts as $expected', ({ text, expected }) => {
  expect(versionNumber(text)).toBe(expected)
})
