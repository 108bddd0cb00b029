import { expect, test } from 'vitest'
import { inNewestWords, inNewestWordsThroughout } from './older-words.ts'
import { releaseVariable } from './recipes.ts'

const rows = [
  { older: 'Invalid value: "object": podRef is immutable', newer: 'Invalid value: podRef is immutable' },
  { older: 'Invalid value: \\"array\\": only one', newer: 'Invalid value: only one' },
  {
    older: 'Invalid value: "string": stage cannot go from Drain to Idle: it',
    newer: 'Invalid value: "Idle": stage cannot go from Drain to Idle: it',
  },
  {
    older: '<nil>: Invalid value: "null": some validation rules were not checked',
    newer: '<nil>: Invalid value: null: some validation rules were not checked',
  },
  {
    older: 'priority in body must be of type integer: "number"',
    newer: 'priority in body must be of type int32: "number"',
  },
  { older: 'name part must be no more than 63 characters', newer: 'name part must be no more than 63 bytes' },
]
const unchanged = [
  'Invalid value: "array": spec.podRef.uid in body must be of type string: "array"',
  'Invalid value: "integer": failedEvictionCounter may only grow',
  'Invalid value: "null": must be an object',
]

test.each(rows)('$older', ({ older, newer }) => {
  expect(inNewestWords(older, { [releaseVariable]: 'oldest' })).toBe(newer)
  expect(inNewestWords(older, {})).toBe(older)
})

test.each(unchanged)('%s is the same in both', (text) => {
  expect(inNewestWords(text, { [releaseVariable]: 'oldest' })).toBe(text)
})

test('all that was observed is read so, and nothing else of it changes', () => {
  const seen = (message: string) => [{ status: 422, absent: undefined, messages: [message, null] }]
  const { older, newer } = rows[0] ?? { older: '', newer: '' }
  expect(inNewestWordsThroughout(seen(older), { [releaseVariable]: 'oldest' })).toStrictEqual(seen(newer))
})
