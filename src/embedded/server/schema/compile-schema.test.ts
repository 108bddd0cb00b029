import { expect, test } from 'vitest'
import { compileSchema } from './compile-schema.ts'

const schema = compileSchema({
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        count: { type: 'integer', default: 1, maximum: 9 },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [{ rule: 'self.count > 0', message: 'count must be above 0' }],
    },
  },
})
const messages = (object: object, old?: object) =>
  schema.validate(object as never, old as never).map(({ field, message }) => `${field}: ${message}`)

test('prunes, fills in and checks', () => {
  const object = schema.fillDefaults(schema.prune({ metadata: { name: 'a' }, spec: { more: 1 }, more: 2 }))
  expect(object).toEqual({ metadata: { name: 'a' }, spec: { count: 1 } })
  expect(messages(object)).toEqual([])
})

test('rules are run where the shape allows it', () => {
  expect(messages({ spec: { count: 0 } })).toEqual(['spec: Invalid value: count must be above 0'])
  expect(messages({ spec: { count: 10 } })).toEqual([
    'spec.count: Invalid value: 10: spec.count in body should be less than or equal to 9',
  ])
  expect(messages({ spec: { count: '0' } })).toEqual([
    'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
    '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ])
})

test('duplicates that were there may stay', () => {
  const object = { spec: { count: 1, set: ['a', 'a'] } }
  expect(messages(object)).toEqual(['spec.set[1]: Duplicate value: "a"'])
  expect(messages({ spec: { count: 2, set: ['a', 'a'] } }, object)).toEqual([])
})

test('as deep as a body may be, everything still works', () => {
  let free: object = {}
  for (let depth = 0; depth < 995; depth++) free = { free }
  const object = { spec: { count: 1, free } }
  const filled = schema.fillDefaults(schema.prune(object))
  expect(messages(filled)).toEqual([])
  expect(messages(filled, structuredClone(filled))).toEqual([])
})
