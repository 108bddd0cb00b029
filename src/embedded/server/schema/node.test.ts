import { expect, test } from 'vitest'
import { readSchema } from './node.ts'

test('reads a schema', () => {
  const node = readSchema({
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string', format: 'date-time', default: 'x' }, b: { 'x-kubernetes-int-or-string': true } },
  })
  expect(node).toMatchObject({ types: ['object'], required: ['a'], nullable: false })
  expect(node.properties.get('a')).toMatchObject({ format: 'date-time', hasDefault: true, default: 'x' })
  expect(node.properties.get('b')).toMatchObject({ types: ['integer', 'string'], intOrString: true })
})

test.each([
  ['string', 'made-up', undefined],
  ['string', 'int32', undefined],
  ['integer', 'int32', 'int32'],
  ['integer', 'uint8', undefined],
  ['boolean', 'date', undefined],
])('a %s of format %s has format %s', (type, format, expected) => {
  expect(readSchema({ type, format }).format).toBe(expected)
})

test.each([
  [{ properties: { a: 'x' } }, '.properties[a]', 'must be an object'],
  [{ items: { type: 'string', pattern: '(' } }, '.items.pattern', 'must be a valid regular expression'],
  [{ 'x-kubernetes-validations': ['x'] }, '.x-kubernetes-validations[0]', 'must be an object'],
])('%j is refused at %s', (schema, path, message) => {
  expect(() => readSchema(schema)).toThrow(message)
  expect(() => readSchema(schema)).toThrow(expect.objectContaining({ path }) as Error)
})
