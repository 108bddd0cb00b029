import { describe, expect, test } from 'vitest'
import { ApiFailure } from '../failure.ts'
import type { JsonObject } from './json.ts'
import { FailedTest, jsonPatch, jsonTypeOf, RejectedPatch } from './json-patch.ts'

const original = () => ({ metadata: { labels: { a: '1' } }, list: [1, 2, 3], text: 'x', none: null })

test.each([
  [
    'adds a field',
    [{ op: 'add', path: '/metadata/labels/b', value: '2' }],
    { metadata: { labels: { a: '1', b: '2' } } },
  ],
  ['adds to the end', [{ op: 'add', path: '/list/-', value: 4 }], { list: [1, 2, 3, 4] }],
  ['adds in between', [{ op: 'add', path: '/list/1', value: 9 }], { list: [1, 9, 2, 3] }],
  ['adds before the last by a negative index', [{ op: 'add', path: '/list/-2', value: 9 }], { list: [1, 2, 9, 3] }],
  ['adds null where there is no value', [{ op: 'add', path: '/a' }], { a: null }],
  ['removes a field', [{ op: 'remove', path: '/metadata/labels/a' }], { metadata: { labels: {} } }],
  ['removes an item', [{ op: 'remove', path: '/list/0' }], { list: [2, 3] }],
  ['removes the last item', [{ op: 'remove', path: '/list/-1' }], { list: [1, 2] }],
  ['replaces', [{ op: 'replace', path: '/list/2', value: 0 }], { list: [1, 2, 0] }],
  ['replaces what is not there', [{ op: 'replace', path: '/metadata/name', value: 'n' }], { metadata: { name: 'n' } }],
  ['moves', [{ op: 'move', from: '/text', path: '/list/0' }], { list: ['x', 1, 2, 3] }],
  ['copies', [{ op: 'copy', from: '/list', path: '/twin' }], { twin: [1, 2, 3] }],
  ['copies nothing as null', [{ op: 'copy', from: '/nothing', path: '/twin' }], { twin: null }],
  [
    'decodes a key',
    [{ op: 'add', path: '/metadata/labels/a~1b~0c', value: 'y' }],
    { metadata: { labels: { 'a/b~c': 'y' } } },
  ],
  ['tests what holds', [{ op: 'test', path: '/metadata/labels', value: { a: '1' } }], { text: 'x' }],
  ['tests that nothing is there', [{ op: 'test', path: '/nothing', value: null }], { text: 'x' }],
  ['tests null', [{ op: 'test', path: '/none' }], { text: 'x' }],
])('%s', (_name, patch, expected) => {
  const document = original()
  expect(jsonPatch(document, patch)).toMatchObject(expected)
  expect(document).toEqual(original())
})

describe('refuses with 422', () => {
  test.each([
    ['a test that fails', { op: 'test', path: '/text', value: 'y' }],
    ['a test of what is missing', { op: 'test', path: '/nothing', value: 1 }],
    ['to remove what is missing', { op: 'remove', path: '/nothing' }],
    ['to remove an item beyond the end', { op: 'remove', path: '/list/3' }],
    ['to add beyond the end', { op: 'add', path: '/list/5', value: 1 }],
    ['to add below what is missing', { op: 'add', path: '/a/b', value: 1 }],
    ['to add below a text', { op: 'add', path: '/text/b', value: 1 }],
    ['an index that is none', { op: 'replace', path: '/list/one', value: 1 }],
    ['to move what is missing', { op: 'move', from: '/nothing', path: '/a' }],
    ['an unknown operation', { op: 'rename', path: '/a' }],
    ['an operation without a path', { op: 'add', value: 1 }],
    ['a path without a slash', { op: 'add', path: 'a', value: 1 }],
    ['to add the whole', { op: 'add', path: '', value: {} }],
    ['to reach into the prototype', { op: 'add', path: '/constructor/prototype/polluted', value: 1 }],
    ['to reach through __proto__', { op: 'add', path: '/__proto__/polluted', value: 1 }],
    ['nothing', null],
  ])('%s', (_name, operation) => {
    expect(() => jsonPatch(original(), [operation])).toThrow(RejectedPatch)
    expect(({} as JsonObject)['polluted']).toBeUndefined()
  })
})

test.each([
  [{ op: 'add', path: '/a/b', value: 1 }, 'add operation does not apply: doc is missing path: "/a/b": missing value'],
  [
    { op: 'replace', path: '/a/b', value: 1 },
    'replace operation does not apply: doc is missing path: /a/b: missing value',
  ],
  [{ op: 'remove', path: '/a' }, "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value"],
])('%j is refused in the words of the library', (operation, why) => {
  const failure = failureOf([operation])
  expect(failure).toBeInstanceOf(RejectedPatch)
  expect((failure as RejectedPatch).why).toBe(why)
})

test('a test that fails is told apart', () => {
  expect(failureOf([{ op: 'test', path: '/text', value: 'y' }])).toBeInstanceOf(FailedTest)
  expect(failureOf([{ op: 'remove', path: '/a' }])).not.toBeInstanceOf(FailedTest)
})

test('copies that are changed afterwards do not change each other', () => {
  const patched = jsonPatch(original(), [
    { op: 'add', path: '/list/-', value: { deep: [] } },
    { op: 'copy', from: '/list', path: '/twin' },
    { op: 'add', path: '/twin/3/deep/-', value: 1 },
  ])
  expect(patched).toMatchObject({ list: [1, 2, 3, { deep: [] }], twin: [1, 2, 3, { deep: [1] }] })
})

function failureOf(patch: unknown): ApiFailure {
  try {
    jsonPatch(original(), patch)
  } catch (error) {
    if (error instanceof ApiFailure) return error
  }
  throw new Error('was accepted')
}

test('10,000 operations are the most', () => {
  const operations = (length: number) => Array.from({ length }, () => ({ op: 'add', path: '/a', value: 1 }))
  expect(jsonPatch(original(), operations(10_000))).toMatchObject({ a: 1 })
  expect(failureOf(operations(10_001))).toMatchObject({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  })
})

test('an object that doubles again and again is refused before it fills the memory', () => {
  const doubling = Array.from({ length: 100 }, (_, index) => ({ op: 'copy', from: '/list', path: '/list/-', index }))
  expect(failureOf(doubling).code).toBe(422)
})

test('an object cannot be made deeper than allowed step by step', () => {
  const deeper = Array.from({ length: 1_200 }, (_, index) => ({ op: 'add', path: '/a'.repeat(index + 1), value: {} }))
  expect(failureOf(deeper)).toMatchObject({ code: 400, message: 'json: exceeded max depth' })
})

test.each([
  [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  [['x'], 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
  [
    [{ op: 1 }],
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
  ],
])('%j is no patch', (patch, message) => {
  expect(failureOf(patch)).toMatchObject({ code: 400, reason: 'BadRequest', message })
})

test('types have the names of JSON', () => {
  expect([[], null, true, 'a', 1, {}].map(jsonTypeOf)).toEqual(['array', 'null', 'bool', 'string', 'number', 'object'])
})
