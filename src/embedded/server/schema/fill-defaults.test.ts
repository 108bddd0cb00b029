import { expect, test } from 'vitest'
import { fillDefaults } from './fill-defaults.ts'
import { readSchema } from './node.ts'

const node = readSchema({
  type: 'object',
  properties: {
    text: { type: 'string', default: 'd' },
    nested: { type: 'object', default: {}, properties: { count: { type: 'integer', default: 3 } } },
    deeper: { type: 'object', properties: { flag: { type: 'boolean', default: false } } },
    list: { type: 'array', items: { type: 'object', properties: { kind: { type: 'string', default: 'k' } } } },
    map: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { n: { type: 'integer', default: 1 } } },
    },
    nullable: { type: 'string', nullable: true, default: 'd' },
    bare: { type: 'string' },
  },
})
const always = { text: 'd', nested: { count: 3 }, nullable: 'd' }

test.each([
  ['fills what is left out, within defaults too', {}, always],
  ['keeps what is there', { text: 'x', nested: { count: 0 } }, { ...always, text: 'x', nested: { count: 0 } }],
  ['does not invent a parent', { deeper: {} }, { ...always, deeper: { flag: false } }],
  ['fills items', { list: [{}, { kind: 'x' }] }, { ...always, list: [{ kind: 'k' }, { kind: 'x' }] }],
  ['fills values of a map', { map: { a: {} } }, { ...always, map: { a: { n: 1 } } }],
  ['takes a null for left out', { text: null, bare: null }, always],
  ['keeps a null that is allowed', { nullable: null }, { ...always, nullable: null }],
])('%s', (_name, object, expected) => {
  const before = structuredClone(object)
  const filled = fillDefaults(object, node)
  expect(filled).toEqual(expected)
  expect(object).toEqual(before)
  expect(fillDefaults(filled, node)).toBe(filled)
})
