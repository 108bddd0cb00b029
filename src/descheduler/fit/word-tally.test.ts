import { expect, test } from 'vitest'
import { WordTally } from './word-tally.ts'

test.each([
  { name: 'nothing was said', said: [], expected: {} },
  { name: 'words are counted', said: ['a', 'b', 'b'], expected: { a: 1, b: 2 } },
  { name: 'words that come again are the same', said: ['a', 'b', 'a'], expected: { a: 2, b: 1 } },
  { name: 'words are taken back', said: ['a', 'b', 'b', '-b', 'a'], expected: { a: 2, b: 1 } },
])('$name', ({ said, expected }) => {
  const tally = new WordTally()
  for (const words of said) tally.add(words.replace('-', ''), words.startsWith('-') ? -1 : 1)
  expect(Object.fromEntries(tally.counts())).toEqual(expected)
})

test('what is said after a look at the counts is counted, too', () => {
  const tally = new WordTally()
  tally.add('a', 1)
  expect(tally.counts().get('a')).toBe(1)
  tally.add('a', 1)
  expect(tally.counts().get('a')).toBe(2)
})
