import { describe, expect, test } from 'vitest'
import { readSchema } from './node.ts'
import { validateValue } from './validate-value.ts'

const faultsOf = (schema: object, value: unknown, old?: { value: unknown }) =>
  validateValue(readSchema(schema), { value, path: 'f', old }).map(({ field, message }) => `${field}: ${message}`)

test.each<[object, unknown, string[]]>([
  [{ type: 'string' }, 'x', []],
  [{ type: 'string' }, 1, ['f: Invalid value: "integer": f in body must be of type string: "integer"']],
  [{ type: 'integer' }, '1', ['f: Invalid value: "string": f in body must be of type integer: "string"']],
  [{ type: 'number' }, 1, []],
  [{ type: 'object' }, [], ['f: Invalid value: "array": f in body must be of type object: "array"']],
  [{ type: 'string' }, null, ['f: Invalid value: "null": f in body must be of type string: "null"']],
  [{ type: 'string', nullable: true }, null, []],
  [{}, { any: 'thing' }, []],
  [{ 'x-kubernetes-int-or-string': true }, '50%', []],
  [{ 'x-kubernetes-int-or-string': true }, 5, []],
  [
    { 'x-kubernetes-int-or-string': true },
    true,
    ['f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"'],
  ],
  [
    { type: 'integer', minimum: 1, maximum: 3 },
    0,
    ['f: Invalid value: 0: f in body should be greater than or equal to 1'],
  ],
  [
    { type: 'integer', minimum: 1, maximum: 3 },
    4,
    ['f: Invalid value: 4: f in body should be less than or equal to 3'],
  ],
  [
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    1,
    ['f: Invalid value: 1: f in body should be greater than 1'],
  ],
  [{ type: 'integer', multipleOf: 5 }, 7, ['f: Invalid value: 7: f in body should be a multiple of 5']],
  [{ type: 'string', minLength: 2 }, 'x', ['f: Invalid value: "x": f in body should be at least 2 chars long']],
  [{ type: 'string', maxLength: 2 }, 'xxx', ['f: Too long: may not be more than 2 bytes']],
  [{ type: 'string', maxLength: 2 }, '😀😀', []],
  [{ type: 'string', pattern: '^a$' }, 'b', ['f: Invalid value: "b": f in body should match \'^a$\'']],
  [
    { type: 'string', format: 'date-time' },
    'soon',
    ['f: Invalid value: "soon": f in body must be of type date-time: "soon"'],
  ],
  [{ type: 'string', enum: ['A', 'B'] }, 'x', ['f: Unsupported value: "x": supported values: "A", "B"']],
  [{ type: 'array', minItems: 1 }, [], ['f: Invalid value: 0: f in body should have at least 1 items']],
  [{ type: 'array', maxItems: 1 }, [1, 2], ['f: Too many: 2: must have at most 1 item']],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, ['f: Too many: 2: must have at most 1 item']],
  [{ type: 'object', minProperties: 1 }, {}, ['f: Invalid value: 0: f in body should have at least 1 properties']],
  [{ type: 'object', required: ['a'] }, {}, ['f.a: Required value']],
  [
    { type: 'array', items: { type: 'string' } },
    ['a', 1],
    ['f[1]: Invalid value: "integer": f[1] in body must be of type string: "integer"'],
  ],
  [
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 1 },
    ['f.a: Invalid value: "integer": f.a in body must be of type string: "integer"'],
  ],
  [
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    true,
    ['<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)'],
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    ['<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [{ not: { minimum: 1 } }, 3, ['<nil>: Invalid value: "": "f" must not validate the schema (not)']],
])('%j on %j: %j', (schema, value, expected) => {
  expect(faultsOf(schema, value)).toEqual(expected)
})

test('half an int32 is wrong in two ways', () => {
  expect(faultsOf({ type: 'integer', format: 'int32' }, 0.5)).toEqual([
    'f: Invalid value: "float64": f in body must be of type int32: "float64"',
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f',
  ])
})

describe('on an update', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', maxLength: 1 },
      b: { type: 'string', maxLength: 1 },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 1 } } },
      },
      plain: { type: 'array', items: { type: 'string', maxLength: 1 } },
    },
  }

  test.each([
    ['what was wrong and stays is let through', { a: 'xx' }, { a: 'xx', b: 'y' }, []],
    ['a list that stays is let through as a whole', { plain: ['xx'] }, { plain: ['xx'], b: 'y' }, []],
    ['what was wrong and changes is not', { a: 'xx' }, { a: 'yy' }, ['f.a']],
    [
      'items are known by their keys',
      { list: [{ k: 'a', v: 2 }] },
      {
        list: [
          { k: 'b', v: 2 },
          { k: 'a', v: 2 },
        ],
      },
      ['f.list[0].v'],
    ],
    ['items of other lists are not known', { plain: ['xx'] }, { plain: ['xx', 'y'] }, ['f.plain[0]']],
  ])('%s', (_name, old, value, fields) => {
    expect(faultsOf(schema, value, { value: old }).map((text) => text.split(':')[0])).toEqual(fields)
  })
})
