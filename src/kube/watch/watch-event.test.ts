import { expect, test } from 'vitest'
import { parseWatchEvent } from './watch-event.ts'

const object = { metadata: { name: 'one', resourceVersion: '5' } }

test.each([
  { type: 'ADDED', expected: { kind: 'added', object } },
  { type: 'MODIFIED', expected: { kind: 'modified', object } },
  { type: 'DELETED', expected: { kind: 'deleted', object } },
  { type: 'BOOKMARK', expected: { kind: 'bookmark', resourceVersion: '5' } },
])('$type', ({ type, expected }) => {
  expect(parseWatchEvent({ type, object })).toEqual(expected)
})

test('ERROR is thrown by its Status', () => {
  const event = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }
  expect(() => parseWatchEvent(event)).toThrow('too old')
})
