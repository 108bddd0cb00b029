import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../patch/json.ts'
import { readSchema } from './node.ts'
import { compileRules, ruleFaults } from './rules.ts'

function faultsOf(schema: object, object: JsonObject, old?: JsonObject): string[] {
  const rules = compileRules(readSchema(schema))
  if (rules === undefined) throw new Error('the schema has no rules')
  return ruleFaults(rules, object, old).map(({ field, message }) => `${field}: ${message}`)
}

const ruled = (type: string, rule: object, more: object = {}) => ({
  type: 'object',
  properties: { f: { type, 'x-kubernetes-validations': [rule], ...more } },
})

test.each<[string, object, JsonObject, string[]]>([
  ['holds', ruled('integer', { rule: 'self > 1' }), { f: 2 }, []],
  ['says its rule', ruled('integer', { rule: 'self > 1' }), { f: 1 }, ['f: Invalid value: 1: failed rule: self > 1']],
  [
    'says its message',
    ruled('integer', { rule: 'self > 1', message: 'too small' }),
    { f: 1 },
    ['f: Invalid value: 1: too small'],
  ],
  [
    'makes a message',
    ruled('integer', { rule: 'self > 1', messageExpression: "'got ' + string(self)" }),
    { f: 1 },
    ['f: Invalid value: 1: got 1'],
  ],
  [
    'falls back where none can be made',
    ruled('integer', { rule: 'self > 1', message: 'm', messageExpression: "'a\\nb'" }),
    { f: 1 },
    ['f: Invalid value: 1: m'],
  ],
  ['shows no object', ruled('object', { rule: 'has(self.a)', message: 'm' }), { f: {} }, ['f: Invalid value: m']],
  [
    'points to a field',
    ruled('object', { rule: 'false', message: 'm', fieldPath: '.a' }, { properties: { a: {} } }),
    { f: {} },
    ['f.a: Invalid value: m'],
  ],
  [
    'points to a key',
    ruled('object', { rule: 'false', message: 'm', fieldPath: "['a.b']" }, { additionalProperties: {} }),
    { f: {} },
    ['f[a.b]: Invalid value: m'],
  ],
  [
    'forbids',
    ruled('integer', { rule: 'false', message: 'm', reason: 'FieldValueForbidden' }),
    { f: 1 },
    ['f: Forbidden: m'],
  ],
  [
    'requires',
    ruled('integer', { rule: 'false', message: 'm', reason: 'FieldValueRequired' }),
    { f: 1 },
    ['f: Required value: m'],
  ],
  [
    'calls it a duplicate',
    ruled('integer', { rule: 'false', message: 'm', reason: 'FieldValueDuplicate' }),
    { f: 1 },
    ['f: Duplicate value: 1'],
  ],
  [
    'tells an error',
    ruled('object', { rule: 'self.a == 1', message: 'm' }),
    { f: {} },
    ['f: Invalid value: "object": no such key: a evaluating rule: m'],
  ],
  ['leaves null alone', ruled('integer', { rule: 'false' }, { nullable: true }), { f: null }, []],
  ['is not asked on creation about the past', ruled('integer', { rule: 'self == oldSelf' }), { f: 1 }, []],
  [
    'is asked if it can do without',
    ruled('integer', { rule: 'oldSelf.hasValue()', message: 'm', optionalOldSelf: true }),
    { f: 1 },
    ['f: Invalid value: 1: m'],
  ],
  [
    'reads items',
    ruled(
      'array',
      { rule: 'true' },
      { items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] } },
    ),
    { f: [2, 1] },
    ['f[1]: Invalid value: 1: m'],
  ],
  [
    'reads values of a map',
    ruled(
      'object',
      { rule: 'true' },
      { additionalProperties: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] } },
    ),
    { f: { a: 1 } },
    ['f[a]: Invalid value: 1: m'],
  ],
])('a rule %s', (_name, schema, object, expected) => {
  expect(faultsOf(schema, object)).toEqual(expected)
})

test('rules at the root see the name and no label', () => {
  const schema = {
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a' && !has(self.metadata.labels)" }],
  }
  expect(faultsOf(schema, { metadata: { name: 'a', labels: {} } })).toEqual([])
  expect(faultsOf(schema, { metadata: { name: 'b' } })[0]).toMatch(/^<nil>: Invalid value: failed rule/)
})

describe('on an update', () => {
  const immutable = { rule: 'self == oldSelf', message: 'm' }

  test.each<[string, object, JsonObject, JsonObject, string[]]>([
    ['a change is seen', ruled('integer', immutable), { f: 2 }, { f: 1 }, ['f: Invalid value: 2: m']],
    ['a new field has no past', ruled('integer', immutable), { f: 2 }, {}, []],
    ['what was wrong and stays is let through', ruled('integer', { rule: 'self > 1' }), { f: 1, x: 2 }, { f: 1 }, []],
    [
      'an optional past is there',
      ruled('integer', { rule: 'oldSelf.value() < self', message: 'm', optionalOldSelf: true }),
      { f: 1 },
      { f: 1 },
      ['f: Invalid value: 1: m'],
    ],
  ])('%s', (_name, schema, object, old, expected) => {
    expect(faultsOf(schema, object, old)).toEqual(expected)
  })

  const list = (keys: object, items: object) =>
    ruled('array', immutable, { ...keys, items: { type: 'object', ...items } })
  const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
  const properties = {
    k: { type: 'string' },
    v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'less' }] },
  }

  test('the order of entries with keys does not count', () => {
    const [one, two] = [{ k: 'a' }, { k: 'b' }]
    expect(faultsOf(list(byKey, { properties }), { f: [two, one] }, { f: [one, two] })).toEqual([])
    expect(faultsOf(list({}, { properties }), { f: [two, one] }, { f: [one, two] })).toEqual(['f: Invalid value: m'])
  })

  test('entries are compared with their own past', () => {
    const schema = {
      type: 'object',
      properties: { f: { type: 'array', ...byKey, items: { type: 'object', properties } } },
    }
    const old = {
      f: [
        { k: 'a', v: 5 },
        { k: 'b', v: 1 },
      ],
    }
    expect(
      faultsOf(
        schema,
        {
          f: [
            { k: 'b', v: 1 },
            { k: 'a', v: 4 },
          ],
        },
        old,
      ),
    ).toEqual(['f[1].v: Invalid value: 4: less'])
  })
})

test('after a rule that costs too much no other is run', () => {
  const schema = {
    type: 'object',
    properties: {
      f: {
        type: 'array',
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x + y >= 0))', message: 'm' }, { rule: 'false' }],
        items: { type: 'integer' },
      },
    },
  }
  expect(faultsOf(schema, { f: Array.from({ length: 2_000 }, (_, index) => index) })).toEqual([
    `f: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`,
  ])
})

test.each([
  [{ rule: 'self +' }, '.properties[f].x-kubernetes-validations[0].rule'],
  [{ rule: 'true', messageExpression: 'stranger' }, '.properties[f].x-kubernetes-validations[0].messageExpression'],
  [{ rule: 'true', fieldPath: '.nowhere' }, '.properties[f].x-kubernetes-validations[0].fieldPath'],
  [{ rule: 'true', fieldPath: 'a' }, '.properties[f].x-kubernetes-validations[0].fieldPath'],
])('%j does not compile', (rule, path) => {
  expect(() => compileRules(readSchema(ruled('object', rule)))).toThrow(expect.objectContaining({ path }) as Error)
})
