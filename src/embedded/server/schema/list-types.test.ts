import { expect, test } from 'vitest'
import { duplicateFaults, identityOf, oldItems } from './list-types.ts'
import { readSchema } from './node.ts'

const node = readSchema({
  type: 'object',
  properties: {
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object' },
    },
    pairs: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'l'] },
    set: { type: 'array', 'x-kubernetes-list-type': 'set' },
    plain: { type: 'array' },
    named: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set' } },
  },
})

test.each([
  [{ map: [{ k: 'a' }, { k: 'b' }] }, []],
  [{ map: [{ k: 'a' }, { k: 'b' }, { k: 'a', x: 1 }, { k: 'a' }] }, ['map[2]: Duplicate value: {"k":"a"}']],
  [{ map: [{}, {}] }, ['map[1]: Duplicate value: {}']],
  [{ map: [{ k: 'a' }, 'x'] }, ['map[1]: Invalid value: "x": must be an object for an array of list-type map']],
  [
    {
      pairs: [
        { k: 1, l: 2 },
        { k: 1, l: 3 },
        { l: 2, k: 1 },
      ],
    },
    ['pairs[2]: Duplicate value: {"k":1,"l":2}'],
  ],
  [{ set: ['a', 'b', 'a'] }, ['set[2]: Duplicate value: "a"']],
  [
    {
      set: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    ['set[1]: Duplicate value: {"a":1,"b":2}'],
  ],
  [{ plain: [1, 1] }, []],
  [{ named: { x: [1, 1] } }, ['named[x][1]: Duplicate value: 1']],
])('%j: %j', (value, expected) => {
  expect(duplicateFaults(node, value).map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
})

test('old items are found by their keys', () => {
  const map = node.properties.get('map') ?? node
  const find = oldItems(map, [{ k: 'a', v: 1 }])
  expect(find({ k: 'a' })).toEqual({ value: { k: 'a', v: 1 } })
  expect(find({ k: 'b' })).toBeUndefined()
  expect(oldItems(node, [{ k: 'a' }])({ k: 'a' })).toBeUndefined()
  expect(identityOf(map, { k: '1' })).not.toBe(identityOf(map, { k: 1 }))
})
