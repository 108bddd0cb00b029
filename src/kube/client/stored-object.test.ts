import { expect, test } from 'vitest'
import { assertStored } from './stored-object.ts'

test('an object with an identity passes', () => {
  expect(() => assertStored({ metadata: { name: 'a', uid: 'b', resourceVersion: '1' } })).not.toThrow()
})

test.each([
  { answer: {}, problem: 'has a name' },
  { answer: { metadata: { name: '', uid: 'b' } }, problem: 'has a name' },
  { answer: { metadata: { name: 'a' } }, problem: 'has a UID, and a has none' },
  { answer: { metadata: { name: 'a', uid: '' } }, problem: 'has a UID, and a has none' },
])('$answer is nothing that an API server has stored', ({ answer, problem }) => {
  expect(() => assertStored(answer)).toThrow(problem)
})
