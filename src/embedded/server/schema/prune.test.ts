import { expect, test } from 'vitest'
import { readSchema } from './node.ts'
import { pruneResource } from './prune.ts'

const node = readSchema({
  type: 'object',
  properties: {
    known: { type: 'string' },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { a: {} } } },
    list: { type: 'array', items: { type: 'object', properties: { a: {} } } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { strict: { properties: {} } } },
    any: { type: 'object', additionalProperties: true },
    resource: { type: 'object', 'x-kubernetes-embedded-resource': true },
  },
})

test.each([
  [{ apiVersion: 'v', kind: 'K', metadata: { x: 1 }, known: 'k' }, undefined],
  [{ known: 'k', unknown: 1 }, { known: 'k' }],
  [{ map: { one: { a: 1, b: 2 } } }, { map: { one: { a: 1 } } }],
  [{ list: [{ a: 1, b: 2 }, 7] }, { list: [{ a: 1 }, 7] }],
  [{ free: { x: { y: 1 }, strict: { z: 1 } } }, { free: { x: { y: 1 }, strict: {} } }],
  [{ any: { x: [{ y: 1 }] } }, undefined],
  [{ resource: { apiVersion: 'v', metadata: {}, spec: {} } }, { resource: { apiVersion: 'v', metadata: {} } }],
  [JSON.parse('{"__proto__":{"x":1}}'), {}],
])('%j becomes %j', (object, expected) => {
  const before = structuredClone(object)
  const pruned = pruneResource(object, node)
  expect(pruned).toEqual(expected ?? object)
  // What needs no change is not copied.
  if (expected === undefined) expect(pruned).toBe(object)
  expect(object).toEqual(before)
})
