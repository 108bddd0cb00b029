import { expect, test } from 'vitest'
import { celName, typedResource, typedValue } from './cel-values.ts'
import { readSchema } from './node.ts'

test.each<[object, unknown, unknown]>([
  [{ type: 'integer' }, 3, 3n],
  [{ type: 'number' }, 3, 3],
  [{ 'x-kubernetes-int-or-string': true }, 3, 3n],
  [{ type: 'string' }, 'x', 'x'],
  [{ type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z', new Date('2026-01-01T00:00:00Z')],
  [{ type: 'string', format: 'byte' }, 'YWJj', new Uint8Array([97, 98, 99])],
  [{ type: 'array', items: { type: 'integer' } }, [1, 2], [1n, 2n]],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, { a: 1 }, { a: 1n }],
  [
    { type: 'object', properties: { 'a-b': {}, namespace: {} } },
    { 'a-b': 'x', namespace: 'y', z: 1 },
    { a__dash__b: 'x', __namespace__: 'y' },
  ],
  [{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { a: [1] }, { a: [1n] }],
  [{ type: 'string', nullable: true }, null, null],
])('%j types %j', (schema, value, expected) => {
  expect(typedValue(readSchema(schema), value)).toEqual(expected)
})

test('a duration is a duration', () => {
  const typed = typedValue(readSchema({ type: 'string', format: 'duration' }), '1m')
  expect(String(typed)).toBe('60s')
})

test('of the metadata the names are seen', () => {
  const node = readSchema({ type: 'object', properties: { spec: { type: 'object', properties: {} } } })
  const object = { apiVersion: 'v', kind: 'K', metadata: { name: 'n', labels: {} }, spec: {}, more: 1 }
  expect(typedResource(node, object)).toEqual({ apiVersion: 'v', kind: 'K', metadata: { name: 'n' }, spec: {} })
})

test('entries with keys come in the order of the new list', () => {
  const node = readSchema({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: { type: 'string' } } },
  })
  const [a, b, c] = [{ k: 'a' }, { k: 'b' }, { k: 'c' }]
  expect(typedValue(node, [a, b, c], [c, a])).toEqual([c, a, b])
  expect(typedValue(node, [a, b])).toEqual([a, b])
})

test.each([
  ['plain', 'plain'],
  ['in', '__in__'],
  ['a.b', 'a__dot__b'],
  ['a__b', 'a__underscores__b'],
  ['a/b', 'a__slash__b'],
  ['ä', undefined],
])('%s is written %s', (property, expected) => {
  expect(celName(property)).toBe(expected)
})
